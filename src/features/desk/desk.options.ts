import { ContentModelError } from '../../content/model/content-model-error.js';
import type { DeskText } from '../../content/model/layout.js';
import { trimSlashes } from '../../kernel/paths.js';

const LANGUAGES = ['en', 'de'] as const;

/** Language of the texts of the desk. */
export type DeskLanguage = (typeof LANGUAGES)[number];

const COLOURS = ['blue', 'cyan', 'grape', 'indigo', 'pink', 'violet'] as const;

/** Colour of the desk. White text is readable on its darkest shade. */
type DeskColour = (typeof COLOURS)[number];

/** Options of `DeskModule.forRoot`. */
export interface DeskOptions {
  /** Path of the desk below the global prefix of the application. Default `/desk`. */
  readonly path?: string;
  /**
   * Public address of the desk, such as `https://www.example.org/desk`: for links in mails and invitations,
   * which never contain the host of a request. Without it, no mail is sent to editors.
   */
  readonly url?: string;
  /**
   * Page of your own sign-in: a path or an http(s) URL. The desk then has no session route, and your
   * strategies authenticate its requests. Default: users sign in at the desk, with `UsersModule`.
   */
  readonly signIn?: { readonly url: string };
  /** Other origins that pages of the desk may use, such as `https://files.example.org`. Default none. */
  readonly origins?: {
    /** Storage of files: shown as images and media, and requested by uploads. */
    readonly images?: readonly string[];
    /** Pages of previews, shown in a frame. */
    readonly frames?: readonly string[];
  };
  /**
   * Tokens of previews. `secret` (at least 32 bytes, the same in all instances) signs them; default: that of
   * `UsersModule`, without it no preview gets a token. `seconds`: their lifetime, 600 by default.
   */
  readonly preview?: { readonly secret?: string; readonly seconds?: number };
  /**
   * Path of an ES module of your application with fields, screens and languages for the desk, such as
   * `/desk-extension.js`. The desk loads it from its own origin. Default none.
   */
  readonly extension?: string;
  /** Look of the desk. */
  readonly look?: {
    /** Name of the desk. Default `Desk`, in the language of the editor. */
    readonly title?: DeskText;
    /** Path of a picture, or a URL of `origins.images`. Default none. */
    readonly logo?: string;
    /** Colour of buttons and links. Default `indigo`. */
    readonly colour?: DeskColour;
    /** Text on the page where editors sign in. Default: a sentence of the desk. */
    readonly welcome?: DeskText;
  };
  /** Languages of the desk that editors can choose; the first one is the default. Default `['en', 'de']`. */
  readonly languages?: readonly DeskLanguage[];
}

/** Options with defaults; the path has no slashes at its ends. */
export interface ResolvedDeskOptions {
  readonly path: string;
  readonly url: URL | null;
  readonly signIn: { readonly url: string } | null;
  readonly images: readonly string[];
  readonly frames: readonly string[];
  readonly preview: { readonly secret: string | null; readonly seconds: number };
  readonly extension: string | null;
  readonly look: {
    readonly title: DeskText | null;
    readonly logo: string | null;
    readonly colour: DeskColour;
    readonly welcome: DeskText | null;
  };
  readonly languages: readonly DeskLanguage[];
}

export const DESK_OPTIONS = Symbol('DeskOptions');

const KEYS = ['path', 'url', 'signIn', 'origins', 'preview', 'extension', 'look', 'languages'];
const LOOK = ['title', 'logo', 'colour', 'welcome'];
/** Lifetime of the token of a preview in seconds. */
const PREVIEW_SECONDS = 600;
const MIN_SECRET = 32;
const PATH = /^[\w-]+(\/[\w-]+)*$/;
/** A path, but no URL without a scheme: `//host` and `/\host` lead to another host. */
const LOCAL = /^\/(?![/\\])[^\s\\]*$/;

function webUrl(value: unknown): URL | null {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' ? url : null;
}

const isPage = (value: unknown): boolean =>
  typeof value === 'string' && (LOCAL.test(value) || webUrl(value) !== null);

const isOrigin = (value: unknown): boolean => webUrl(value)?.origin === value;

const isListOf = (value: unknown, isOne: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isOne);

/** Rules of the options by path: what is expected, and the test of a value. */
const RULES: readonly (readonly [string, string, (options: DeskOptions) => boolean])[] = [
  [
    'path',
    'a path of letters, digits, dashes and underscores, such as "/desk"',
    ({ path = '/desk' }) => typeof path === 'string' && PATH.test(trimSlashes(path)),
  ],
  [
    'url',
    'the address of the desk, such as "https://www.example.org/desk"',
    ({ url }) => url === undefined || webUrl(url)?.search === '',
  ],
  ['signIn.url', 'a path or an http(s) URL', ({ signIn }) => signIn === undefined || isPage(signIn.url)],
  [
    'origins.images',
    'a list of origins, such as "https://files.example.org"',
    ({ origins }) => isListOf(origins?.images ?? [], isOrigin),
  ],
  [
    'origins.frames',
    'a list of origins, such as "https://www.example.org"',
    ({ origins }) => isListOf(origins?.frames ?? [], isOrigin),
  ],
  [
    'preview.secret',
    'at least 32 bytes, for example from `openssl rand -base64 32`',
    ({ preview }) => preview?.secret === undefined || Buffer.byteLength(preview.secret) >= MIN_SECRET,
  ],
  [
    'preview.seconds',
    'a number of seconds from 60 to 86400',
    ({ preview: { seconds = PREVIEW_SECONDS } = {} }) => seconds >= 60 && seconds <= 86_400,
  ],
  [
    'extension',
    'a path of this origin, such as "/desk-extension.js"',
    ({ extension }) => extension === undefined || (typeof extension === 'string' && LOCAL.test(extension)),
  ],
  ['look', `${LOOK.join(', ')}`, ({ look = {} }) => Object.keys(look).every((key) => LOOK.includes(key))],
  ['look.logo', 'a path or an http(s) URL', ({ look }) => look?.logo === undefined || isPage(look.logo)],
  [
    'look.colour',
    `one of ${COLOURS.map((one) => `"${one}"`).join(', ')}`,
    ({ look: { colour = 'indigo' } = {} }) => COLOURS.some((one) => one === colour),
  ],
  [
    'languages',
    `a list of ${LANGUAGES.map((one) => `"${one}"`).join(' and ')}`,
    ({ languages = LANGUAGES }) =>
      isListOf(languages, (one) => LANGUAGES.some((known) => known === one)) && languages.length > 0,
  ],
];

/** Returns the options with defaults. Throws a ContentModelError for unknown and invalid ones. */
export function resolveDeskOptions(options: DeskOptions): ResolvedDeskOptions {
  const unknown = Object.keys(options).filter((key) => !KEYS.includes(key));
  const mistakes = [
    ...unknown.map((key) => `desk: unknown option "${key}"; available: ${KEYS.join(', ')}`),
    ...RULES.flatMap(([at, expected, holds]) => (holds(options) ? [] : [`desk.${at}: expected ${expected}`])),
  ];
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  const {
    path = '/desk',
    url,
    signIn,
    origins = {},
    preview = {},
    extension = null,
    look = {},
    languages = LANGUAGES,
  } = options;
  return Object.freeze({
    path: trimSlashes(path),
    url: url === undefined ? null : new URL(url),
    signIn: signIn === undefined ? null : { url: signIn.url },
    images: origins.images ?? [],
    frames: origins.frames ?? [],
    preview: { secret: preview.secret ?? null, seconds: preview.seconds ?? PREVIEW_SECONDS },
    extension,
    look: {
      title: look.title ?? null,
      logo: look.logo ?? null,
      colour: look.colour ?? 'indigo',
      welcome: look.welcome ?? null,
    },
    languages,
  });
}
