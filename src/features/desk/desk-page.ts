/** HTML of the desk, the same for every page; the browser draws the page that its URL names. */
import { escapeHtml } from '../../kernel/escape-html.js';
import { textIn } from '../../content/model/layout.js';
import type { DeskBuild } from './desk-files.js';
import type { ResolvedDeskOptions } from './desk.options.js';

/** Settings that the page has as JSON, for the application in the browser. */
export interface PageSettings {
  readonly nonce: string;
  /** Path of the desk, with the global prefix. */
  readonly base: string;
  /** Path of the content routes, with the global prefix. */
  readonly api: string;
  /** Whether the desk has a session route. */
  readonly session: boolean;
  /** Page of the application's own sign-in. */
  readonly signIn: { readonly url: string } | null;
  readonly languages: readonly string[];
  /** Whether the desk mails a link to set a new password. */
  readonly forgotPassword: boolean;
  readonly extension: string | null;
  readonly look: ResolvedDeskOptions['look'];
}

type Sources = readonly (readonly [string, readonly string[]])[];

/** Returns the content security policy of a page. */
export function policyOf(nonce: string, { images, frames }: ResolvedDeskOptions): string {
  const media = ["'self'", 'data:', 'blob:', ...images];
  const sources: Sources = [
    ['default-src', ["'none'"]],
    ['script-src', ["'self'"]],
    ['style-src', ["'self'", `'nonce-${nonce}'`]],
    ['connect-src', ["'self'", ...images]],
    ['img-src', media],
    ['media-src', media],
    ['font-src', ["'self'"]],
    ['frame-src', frames.length === 0 ? ["'none'"] : frames],
    ['frame-ancestors', ["'none'"]],
    ['base-uri', ["'self'"]],
    ['form-action', ["'self'"]],
  ];
  return sources.map(([name, values]) => [name, ...values].join(' ')).join('; ');
}

/** JSON that cannot end its element. */
const settingsJson = (settings: PageSettings): string =>
  JSON.stringify(settings).replace(/[<>&\u2028\u2029]/g, (one) => {
    const code = one.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${code}`;
  });

/** Returns the page. URLs of files are relative to `<base>`. */
export function pageOf({ script, preloads, styles }: DeskBuild, settings: PageSettings): string {
  const links = [
    ...styles.map((file) => `<link rel="stylesheet" href="${escapeHtml(file)}">`),
    ...preloads.map((file) => `<link rel="modulepreload" href="${escapeHtml(file)}">`),
  ];
  return `<!doctype html>
<html lang="${settings.languages[0] ?? 'en'}">
<head>
<meta charset="utf-8">
<base href="${escapeHtml(settings.base)}/">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(textIn(settings.look.title ?? 'Desk', settings.languages[0] ?? 'en'))}</title>
${links.join('\n')}
<script type="application/json" id="settings">${settingsJson(settings)}</script>
<script type="module" src="${escapeHtml(script)}"></script>
</head>
<body>
<div id="root"></div>
</body>
</html>
`;
}
