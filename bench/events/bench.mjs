/**
 * `npm run bench -- events [--only writers|deliveries|endpoints|listeners] [--seconds 14] [--rounds 9]
 * [--events 5000] [--listeners 2000] [--writes 30]`
 *
 * Measures the cost of the event log for writers, and deliveries to three endpoints next to pg-boss. Then it
 * measures writes beside many endpoints, and the cost of each listener of live reads.
 */
import { parseArgs } from 'node:util';
import { startDatabases } from '../databases.mjs';
import { measureDeliveries } from './deliveries.mjs';
import { measureEndpoints } from './endpoints.mjs';
import { measureListeners } from './listeners.mjs';
import { measureWriters } from './writers.mjs';

const PARTS = {
  writers: measureWriters,
  deliveries: measureDeliveries,
  endpoints: measureEndpoints,
  listeners: measureListeners,
};

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      seconds: { type: 'string', default: '14' },
      rounds: { type: 'string', default: '9' },
      events: { type: 'string', default: '5000' },
      listeners: { type: 'string', default: '2000' },
      writes: { type: 'string', default: '30' },
    },
  });
  const numbers = Object.fromEntries(
    ['seconds', 'rounds', 'events', 'listeners', 'writes'].map((name) => [name, Number(values[name])]),
  );
  const databases = await startDatabases({ shared_preload_libraries: 'pg_stat_statements' });
  try {
    for (const [name, measure] of Object.entries(PARTS))
      if ([undefined, name].includes(values.only)) await measure({ databases, ...numbers });
  } finally {
    await databases.stop();
  }
}
