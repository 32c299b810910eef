/**
 * Server process of the sample application:
 *
 * node sample-server.mjs --database-url postgresql://…
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startAtlas } from '../../dist-sample/atlas.js';

const { values } = parseArgs({ options: { 'database-url': { type: 'string' } } });

const app = await startAtlas({
  port: 0,
  databaseUrl: values['database-url'],
  dataFolder: join(await mkdtemp(join(tmpdir(), 'content-bench-')), 'atlas'),
  log: (line) => console.log(line),
});
console.log(`listening on http://127.0.0.1:${app.getHttpServer().address().port}`);
