import type { DeskText } from '../../content/model/layout.js';
import {
  checkModuleOptions,
  group,
  type Option,
  option,
  type OptionsOf,
  required,
  webUrl,
} from '../../content/model/option-table.js';
import { LABEL } from '../../content/model/options.js';
import { isListOf, isText } from '../../kernel/json.js';
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

/** Lifetime of the token of a preview in seconds. */
const PREVIEW_SECONDS = 600;
const MIN_SECRET = 32;
const PATH = /^[\w-]+(\/[\w-]+)*$/;
/** A path, but no URL without a scheme: `//host` and `/\host` lead to another host. */
const LOCAL = /^\/(?![/\\])[^\s\\]*$/;

const isPage = (value: unknown): boolean =>
  typeof value === 'string' && (LOCAL.test(value) || webUrl(value) !== null);

const isOrigin = (value: unknown): value is string => webUrl(value)?.origin === value;

const PAGE = option('a path or an http(s) URL', isPage);
const origins = (example: string): Option =>
  option(`a list of origins, such as "${example}"`, isListOf(isOrigin));
const oneOf = (known: readonly string[]): Option =>
  option(`one of ${known.map((one) => `"${one}"`).join(', ')}`, (value) =>
    known.some((one) => one === value),
  );
const isLanguage = (value: unknown): value is DeskLanguage => LANGUAGES.some((known) => known === value);

const OPTIONS: OptionsOf<DeskOptions> = {
  path: option(
    'a path of letters, digits, dashes and underscores, such as "/desk"',
    (value) => isText(value) && PATH.test(trimSlashes(value)),
  ),
  url: option(
    'the address of the desk, such as "https://www.example.org/desk"',
    (value) => webUrl(value)?.search === '',
  ),
  signIn: group<NonNullable<DeskOptions['signIn']>>({ url: required(PAGE) }),
  origins: group<NonNullable<DeskOptions['origins']>>({
    images: origins('https://files.example.org'),
    frames: origins('https://www.example.org'),
  }),
  preview: group<NonNullable<DeskOptions['preview']>>({
    secret: option(
      'a string of at least 32 bytes, for example from `openssl rand -base64 32`',
      (value) => isText(value) && Buffer.byteLength(value) >= MIN_SECRET,
    ),
    seconds: option(
      'a number of seconds from 60 to 86400',
      (value) => typeof value === 'number' && value >= 60 && value <= 86_400,
    ),
  }),
  extension: option(
    'a path of this origin, such as "/desk-extension.js"',
    (value) => isText(value) && LOCAL.test(value),
  ),
  look: group<NonNullable<DeskOptions['look']>>({
    title: LABEL,
    logo: PAGE,
    colour: oneOf(COLOURS),
    welcome: LABEL,
  }),
  languages: option(
    `a list of ${LANGUAGES.map((one) => `"${one}"`).join(' and ')}`,
    (value) => isListOf(isLanguage)(value) && value.length > 0,
  ),
};

/** Returns the options with defaults. Throws a ContentModelError for unknown and invalid ones. */
export function resolveDeskOptions(options: DeskOptions): ResolvedDeskOptions {
  checkModuleOptions('DeskModule', options, OPTIONS);
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
