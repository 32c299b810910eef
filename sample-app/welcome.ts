import { DESK_PATH, EXAMPLES, LEAVE_NOTE, REFUSED_PATH, REGISTER, SIGN_IN, START_PAGE } from './requests.js';

/** Returns the text of the start, with one example command per indented line. */
export function welcome(url: string): string[] {
  return [
    `The site is at ${url}, and these requests as links at ${url}${START_PAGE}:`,
    ...EXAMPLES.map(({ path }) => `  curl -g '${url}${path}'`),
    "The public may not read the visitors' notes, so this request returns 403:",
    `  curl '${url}${REFUSED_PATH}'`,
    'Users may. Register once, sign in, and leave a note:',
    `  ${post(url, REGISTER)}`,
    `  TOKEN=$(${post(url, SIGN_IN, '-s')} | sed 's/.*"jwt":"\\([^"]*\\)".*/\\1/')`,
    `  ${post(url, LEAVE_NOTE, '-H "Authorization: Bearer $TOKEN"')}`,
    'For a program, make an API token. A data folder belongs to one process, so stop the atlas first, unless it runs with DATABASE_URL:',
    `  ${TOKEN_COMMAND}`,
  ];
}

/** Returns the address of the desk. With an invitation, also its link for the first editor. */
export function deskLines(url: string, invitation: string | null): string[] {
  const address = `Editors write at ${url}${DESK_PATH}.`;
  if (invitation === null) return [address];
  return [`${address} Become the first one with this link, which works once, for 7 days:`, `  ${invitation}`];
}

/** Command to run in the package's folder. `npx node` is the Node that npm installed. */
const TOKEN_COMMAND =
  'npx node dist/cli.js token create --name reader --kind read-only --module dist-sample/token-module.js';

interface Example {
  readonly path: string;
  readonly body: object;
}

const post = (url: string, { path, body }: Example, options = ''): string =>
  `curl '${url}${path}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' ${options}`.trimEnd();
