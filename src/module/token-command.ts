/** Command `token`: API tokens. */
import { parseArgs } from 'node:util';
import { apiTokenType } from '../features/accounts/account-types.js';
import { type ApiToken, ApiTokens, type NewApiToken } from '../features/accounts/api-tokens.service.js';
import type { Grants } from '../content/access/permissions.js';
import { ApiTokensModule } from '../features/accounts/api-tokens.module.js';
import { type Environment, importModule, openContext, serviceOf, UsageError } from './command.js';
import { ContentModule } from './content.module.js';

const USAGE = `Usage: nestjs-content-api token <command> [options]

  create --name <name> --kind <read-only|full-access|custom> [--days <days>] [--description <text>] [--grants <json>]
  list
  rotate <name or document id>
  revoke <name or document id>

  --module <file>[#<export>]   compiled Nest module of the application, for example dist/app.module.js#AppModule.
                               Without it the database of DATABASE_URL is used.
  --help                       prints this text.

For files, see nestjs-content-api files --help.
`;

interface Options {
  readonly name?: string | undefined;
  readonly kind?: string | undefined;
  readonly days?: string | undefined;
  readonly description?: string | undefined;
  readonly grants?: string | undefined;
  readonly module?: string | undefined;
}

type Command = (tokens: ApiTokens, options: Options, which: string) => Promise<string>;

const line = ({ documentId, name, kind, expiresAt, lastUsedAt }: ApiToken): string =>
  [
    documentId,
    kind.padEnd(11),
    `expires ${expiresAt ?? 'never'}`,
    `last used ${lastUsedAt ?? 'never'}`,
    name,
  ].join('  ');

async function find(tokens: ApiTokens, which: string): Promise<ApiToken> {
  const known = (await tokens.list()).find(({ documentId, name }) => documentId === which || name === which);
  if (known === undefined) throw new UsageError(`There is no token "${which}"`);
  return known;
}

/** The secret is stored as a hash and cannot be shown again. */
const printToken = ({ token, name }: { readonly token: string; readonly name: string }): string =>
  `Token "${name}". It is shown only now:\n${token}`;

function grantsOf(text: string): Grants {
  try {
    return JSON.parse(text) as Grants;
  } catch {
    throw new UsageError('--grants is not JSON');
  }
}

const COMMANDS: Readonly<Record<string, Command>> = {
  create: async (tokens, { name, kind, days, description, grants }) => {
    if (name === undefined || kind === undefined) throw new UsageError('create needs --name and --kind');
    const input = {
      name,
      kind,
      ...(days === undefined ? {} : { days: Number(days) }),
      ...(description === undefined ? {} : { description }),
      ...(grants === undefined ? {} : { grants: grantsOf(grants) }),
    };
    return printToken(await tokens.create(input as NewApiToken));
  },
  list: async (tokens) => (await tokens.list()).map(line).join('\n') || 'There are no tokens.',
  rotate: async (tokens, _options, which) => {
    const rotated = await tokens.rotate((await find(tokens, which)).documentId);
    return rotated === null ? 'The token was deleted in the meantime.' : printToken(rotated);
  },
  revoke: async (tokens, _options, which) => {
    const { documentId, name } = await find(tokens, which);
    await tokens.revoke(documentId);
    return `Token "${name}" is revoked.`;
  },
};

async function moduleOf(reference: string | undefined, env: Environment): Promise<unknown> {
  if (reference === undefined) {
    const clientUrl = env['DATABASE_URL'];
    if (clientUrl === undefined) throw new UsageError('Give --module, or set DATABASE_URL');
    const content = ContentModule.forRoot({ contentTypes: [apiTokenType], database: { clientUrl } });
    return { module: ApiTokensModule, imports: [content] };
  }
  return importModule(reference);
}

/** Runs a command and returns its output. Throws an Error whose message is for the user. */
export async function runToken(args: readonly string[], env: Environment): Promise<string> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: text,
      kind: text,
      days: text,
      description: text,
      grants: text,
      module: text,
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return USAGE.trimEnd();
  const [subject, name = '', which = ''] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (subject !== 'token' || command === undefined) throw new UsageError(USAGE);
  const app = await openContext(await moduleOf(values.module, env));
  try {
    return await command(serviceOf(app, ApiTokens, 'ApiTokensModule'), values, which);
  } finally {
    await app.close();
  }
}
