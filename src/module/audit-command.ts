/** Commands `audit` and `erase`. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { Database } from '../content/store/database.js';
import { AuditLog } from '../features/history/audit/audit-log.js';
import { eraseUser } from '../features/history/erasure.js';
import { serviceOf, UsageError, withApplication } from './command.js';

export const AUDIT_USAGE = `audit export|forget --module <module>
      "export --file <path>" writes all entries of the audit log to a new file, one JSON object per line.
      "forget --days <number>" deletes older entries. Run it with a role that may delete them.
      With --dry-run, it only counts them.`;

export const ERASE_USAGE = `erase --user <documentId> [--dry-run] --module <module>
      Removes a user from stored versions, the audit log and the event log, and prints what it removed.`;

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;

async function exportEntries(log: AuditLog, file: string): Promise<string> {
  let count = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const entry of log.entriesAsJson()) {
      count += 1;
      yield `${entry}\n`;
    }
  };
  await pipeline(Readable.from(lines()), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  return `${count} entries written to ${file}`;
}

function daysIn(text: string | undefined): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 36_500) return days;
  throw new UsageError('--days must be an integer from 1 to 36500');
}

/** Runs `audit`. Throws an Error whose message is for the user. */
export async function runAudit(args: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { module: TEXT, file: TEXT, days: TEXT, 'dry-run': FLAG },
  });
  const { file, days, module, 'dry-run': dryRun = false } = values;
  const [action] = positionals;
  const work = async (log: AuditLog): Promise<string> => {
    if (action === 'export' && file !== undefined) return exportEntries(log, file);
    const age = daysIn(days);
    if (dryRun) return `Nothing is deleted yet: ${await log.countOlder(age)} entries would be`;
    return `${await log.forget(age)} entries deleted`;
  };
  const isKnown =
    action === 'export' ? file !== undefined && !dryRun : action === 'forget' && days !== undefined;
  if (!isKnown || positionals.length > 1) throw new UsageError(`Usage: nestjs-content-api ${AUDIT_USAGE}`);
  return withApplication(module, async (app) => work(serviceOf(app, AuditLog, 'AuditModule')));
}

/** Runs `erase`. Throws an Error whose message is for the user. */
export async function runErase(args: readonly string[]): Promise<string> {
  const { values } = parseArgs({
    args: [...args],
    options: { module: TEXT, user: TEXT, 'dry-run': FLAG },
  });
  const { user, module, 'dry-run': dryRun = false } = values;
  if (user === undefined || user === '') throw new UsageError(`Usage: nestjs-content-api ${ERASE_USAGE}`);
  return withApplication(module, async (app) => {
    const schema = app.get<Schema>(CONTENT_SCHEMA, { strict: false });
    const erased = await eraseUser(app.get(Database, { strict: false }), schema, { user, dryRun });
    const lines = erased.map(({ what, count }) => `${count} ${what}`);
    return [...(dryRun ? ['Nothing is removed yet. This would be:'] : []), ...lines].join('\n');
  });
}
