/** Command `recount`: recounts the stored totals. */
import { parseArgs } from 'node:util';
import { ChangeLogWorker } from '../cache/change-log-worker.js';
import type { WrongTotal } from '../cache/change-log-keeper.js';
import { UsageError, withApplication } from './command.js';

export const RECOUNT_USAGE = `recount [<type> …] --module <module>
      Recounts the content of all types, or of the named ones, and prints the totals that were wrong. Every
      instance re-reads its cache. Run it after a restore that bypassed the triggers. Applications may run.`;

const sentence = ({ type, locale, published, noted, counted }: WrongTotal): string =>
  `${type} ${locale} ${published ? 'published' : 'draft'}: ${noted} stored, ${counted} counted`;

/** Recounts and returns the totals that were wrong. Throws a UsageError if the change log is incomplete. */
export async function runRecount(args: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { module: { type: 'string' } },
  });
  const wrong = await withApplication(values.module, async (app) => {
    const worker = app.get(ChangeLogWorker, { strict: false });
    await worker.maintain();
    if (worker.lack !== null) throw new UsageError(worker.lack);
    return worker.recount(...positionals);
  });
  return wrong.length === 0 ? 'All totals were correct' : wrong.map(sentence).join('\n');
}
