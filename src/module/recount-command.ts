/** `npx nestjs-content-api recount`: totals of the ledger as they are counted in the tables. */
import { parseArgs } from 'node:util';
import { LedgerWorker } from '../documents/ledger-worker.js';
import type { WrongTotal } from '../ledger/keeper.js';
import { UsageError, withApplication } from './command.js';

export const RECOUNT_USAGE = `recount [<type> …] --module <module>
      Counts the content of all types anew, or of some, prints the totals that were wrong, and has every instance
      read anew what it has kept. After a restore that went past the triggers. Applications may run meanwhile.`;

const sentence = ({ type, locale, published, noted, counted }: WrongTotal): string =>
  `${type} ${locale} ${published ? 'published' : 'draft'}: ${noted} noted, ${counted} there`;

/** Counts, and answers what was wrong. Throws a UsageError where changes are not noted. */
export async function runRecount(args: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { module: { type: 'string' } },
  });
  const wrong = await withApplication(values.module, async (app) => {
    const worker = app.get(LedgerWorker, { strict: false });
    await worker.look();
    if (worker.lack !== null) throw new UsageError(worker.lack);
    return worker.recount(...positionals);
  });
  return wrong.length === 0 ? 'All totals were right' : wrong.map(sentence).join('\n');
}
