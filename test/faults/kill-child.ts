/** A process that writes endlessly, to be killed: `node kill-child.ts <database url>`. */
import { startBusy } from '../concurrency/app.ts';
import { busy } from '../concurrency/model.ts';
import { writeWhole } from './whole.ts';

const url = process.argv[2] as string;
const { client } = await startBusy({
  ...busy,
  database: { url, drop: async () => undefined },
  makeTables: false,
});
const { body } = await client.get('/api/topics?pagination[limit]=100&fields=documentId&sort=id');
const topics: string[] = body.data.map((row: { documentId: string }) => row.documentId);
const { body: found } = await client.get('/api/stories?status=draft&pagination[limit]=100&fields=documentId');
const stories: string[] = found.data.map((row: { documentId: string }) => row.documentId);

let n = Date.now() % 1_000_000;
process.send?.('ready');
// Each writer has its own document to change, and creates and deletes others.
await Promise.all(
  Array.from({ length: 8 }, async (_, writer) => {
    for (;;) {
      n += 1;
      await writeWhole(client, topics, stories[writer % stories.length] ?? null, n);
    }
  }),
);
