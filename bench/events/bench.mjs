/**
 * `npm run bench -- events [--only writers|deliveries] [--seconds 14] [--rounds 9] [--events 5000]`
 *
 * What the event log costs writers, and how fast events reach three healthy endpoints, next to pg-boss.
 */
import { parseArgs } from 'node:util';
import { startDatabases } from '../databases.mjs';
import { measureDeliveries } from './deliveries.mjs';
import { measureWriters } from './writers.mjs';

const PARTS = { writers: measureWriters, deliveries: measureDeliveries };

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      seconds: { type: 'string', default: '14' },
      rounds: { type: 'string', default: '9' },
      events: { type: 'string', default: '5000' },
    },
  });
  const [seconds, rounds, events] = ['seconds', 'rounds', 'events'].map((name) => Number(values[name]));
  const databases = await startDatabases();
  try {
    for (const [name, measure] of Object.entries(PARTS))
      if ([undefined, name].includes(values.only)) await measure({ databases, seconds, rounds, events });
  } finally {
    await databases.stop();
  }
}
