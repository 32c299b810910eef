/** Commands `webhooks` and `events`. */
import { parseArgs } from 'node:util';
import { ReaderStates } from '../features/events/reader-states.js';
import { newSigningKey } from '../features/events/webhooks/signatures.js';
import { type Webhook, Webhooks } from '../features/events/webhooks/webhooks.service.js';
import { MODULE_OPTION, serviceOf, UsageError, withApplication } from './command.js';

export const WEBHOOKS_USAGE = 'webhooks <command> [options]  webhooks; see "webhooks --help"';

export const EVENTS_USAGE = `events list --module <module>
      Lists the receivers of the event log, with the number of events that each has still to handle.`;

const WEBHOOKS_HELP = `Usage: nestjs-content-api webhooks <command> [options]

  list                            lists webhooks with their state.
  test <name or id>               sends a test event, and prints the result.
  replay <name or id>             sends events again that were given up.
         [--event <id>]           this one alone.
         [--since <time>]         every event since a time, ISO 8601.
  key                             prints a new pair of keys for the option signingKey.

  ${MODULE_OPTION}
`;

const TEXT = { type: 'string' } as const;

const lineOf = (webhook: Webhook): string => {
  const { id, name, url, enabled, disabled, failingSince, lag, pending, failed } = webhook;
  const health = failingSince === null ? 'healthy' : `failing since ${failingSince}`;
  const state = disabled ?? (enabled ? health : 'off');
  return `${id}  ${name}  ${url}\n    ${state}; ${lag} to send, ${pending} waiting for a retry, ${failed} given up`;
};

async function findWebhook(webhooks: Webhooks, which: string | undefined): Promise<Webhook> {
  const found = (await webhooks.list()).find(({ id, name }) => id === which || name === which);
  if (found === undefined) throw new UsageError(`There is no webhook "${which ?? ''}"`);
  return found;
}

interface Options {
  readonly event?: string | undefined;
  readonly since?: string | undefined;
}

type Command = (webhooks: Webhooks, which: string | undefined, options: Options) => Promise<string>;

const COMMANDS: Readonly<Record<string, Command>> = {
  list: async (webhooks) => (await webhooks.list()).map(lineOf).join('\n') || 'There are no webhooks.',
  test: async (webhooks, which) => {
    const { id, name } = await findWebhook(webhooks, which);
    const outcome = await webhooks.test(id);
    if (outcome.kind !== 'delivered') throw new UsageError(`${name}: ${outcome.failure}`);
    return `${name}: the endpoint responded with ${outcome.status ?? ''}`;
  },
  replay: async (webhooks, which, { event, since }) => {
    const { id, name } = await findWebhook(webhooks, which);
    const count = await webhooks.replay(id, {
      ...(event === undefined ? {} : { event }),
      ...(since === undefined ? {} : { since }),
    });
    return `${name}: ${count} events will be sent again`;
  },
};

/** Runs `webhooks`. Throws an Error whose message is for the user. */
export async function runWebhooks(args: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { module: TEXT, event: TEXT, since: TEXT, help: { type: 'boolean', short: 'h' } },
  });
  const [name = '', which] = positionals;
  if (values.help === true) return WEBHOOKS_HELP.trimEnd();
  if (name === 'key') {
    const { privateKey, publicKey } = newSigningKey();
    return `Private key, for webhooks.signingKey: ${privateKey}\nPublic key, for receivers:            ${publicKey}`;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(WEBHOOKS_HELP);
  return withApplication(values.module, (app) =>
    command(serviceOf(app, Webhooks, 'EventsModule'), which, values),
  );
}

/** Runs `events`. Throws an Error whose message is for the user. */
export async function runEvents(args: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { module: TEXT },
  });
  if (positionals.join(' ') !== 'list') throw new UsageError(`Usage: nestjs-content-api ${EVENTS_USAGE}`);
  const states = await withApplication(values.module, (app) =>
    serviceOf(app, ReaderStates, 'EventsModule').all(),
  );
  const lines = states.map(
    ({ name, disabled, lag, pending, failed }) =>
      `${name}: ${lag} to handle, ${pending} waiting for a retry, ${failed} given up` +
      (disabled === null ? '' : `; disabled: ${disabled}`),
  );
  return lines.join('\n') || 'Nothing receives events.';
}
