/** Command `access`: the permissions of a caller, with their reasons. */
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import type { Identity } from '../content/access/auth-strategy.js';
import { ContentAccess } from '../content/access/content-access.js';
import type { ExplainedAction, ExplainedCondition } from '../content/access/explain.js';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { noSuchType } from '../content/model/suggest.js';
import { AccountRepository } from '../features/accounts/account-repository.js';
import { ApiTokens } from '../features/accounts/api-tokens.service.js';
import { serviceOf, UsageError, withApplication } from './command.js';

export const ACCESS_USAGE = `access [<type> …] --as <caller> --module <module>
      Prints for each action: granted or denied, the attributes, the conditions with the caller's values, and
      why an action is refused. The caller is public, role:<name>, user:<id> or token:<name>.`;

type Finder = (app: INestApplicationContext, name: string) => Promise<Identity | null>;

const CALLERS: Readonly<Record<string, Finder>> = {
  public: () => Promise.resolve({ kind: 'public', id: null, roles: ['public'] }),
  role: (_app, name) => Promise.resolve({ kind: 'user', id: null, roles: [name] }),
  user: async (app, id) => {
    const accounts = serviceOf(app, AccountRepository, 'UsersModule');
    const ids = /^\d{1,9}$/.test(id) ? [{ documentId: id }, { id: Number(id) }] : [{ documentId: id }];
    const account = await accounts.find(...ids);
    return account && accounts.identityOf(account);
  },
  token: (app, name) => serviceOf(app, ApiTokens, 'ApiTokensModule').identityOf(name),
};

async function identityOf(app: INestApplicationContext, text: string): Promise<Identity> {
  const [kind = '', ...rest] = text.split(':');
  const name = rest.join(':');
  const find = Object.hasOwn(CALLERS, kind) ? CALLERS[kind] : undefined;
  if (find === undefined || (kind === 'public') !== (name === ''))
    throw new UsageError('--as needs public, role:<name>, user:<id> or token:<name>');
  const identity = await find(app, name);
  const known = kind === 'user' ? ': give its id or document id' : '';
  if (identity === null) throw new UsageError(`There is no ${kind} "${name}"${known}`);
  return identity;
}

const INDENT = ' '.repeat(14);

function conditionText({ where, preset, reason }: ExplainedCondition): string {
  if (reason !== null) return `condition covers nothing: ${reason}`;
  const documents = typeof where === 'string' ? `${where} documents` : `where ${JSON.stringify(where)}`;
  return preset === null ? documents : `${documents}, preset ${JSON.stringify(preset)}`;
}

const STATES = { all: 'granted', some: 'granted on some documents', none: 'denied' } as const;

function actionText({ action, documents, attributes, conditions, notes }: ExplainedAction): string {
  const shown = attributes === null || documents === 'none' ? [] : [`attributes: ${attributes.join(', ')}`];
  const limits = documents === 'none' ? [] : conditions.map(conditionText);
  const lines = [`  ${action.padEnd(INDENT.length - 2)}${STATES[documents]}`];
  return [...lines, ...[...limits, ...shown, ...notes].map((line) => INDENT + line)].join('\n');
}

/** Prints the permissions of a caller. Throws a UsageError for an unknown caller or type. */
export async function runAccess(args: readonly string[]): Promise<string> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { module: text, as: text },
  });
  const { as = '' } = values;
  return withApplication(values.module, async (app) => {
    const access = app.get(ContentAccess, { strict: false });
    const { types } = app.get<Schema>(CONTENT_SCHEMA, { strict: false });
    const unknown = positionals.find((name) => !types.has(name));
    if (unknown !== undefined) throw new UsageError(noSuchType(unknown, [...types.keys()]));
    const caller = await access.callerOf(await identityOf(app, as));
    const names = positionals.length > 0 ? positionals : [...types.keys()];
    return names
      .map((name) => [`${as} on ${name}`, ...access.explain(caller, name).map(actionText)].join('\n'))
      .join('\n\n');
  });
}
