/**
 * Server process of the reference (Strapi), in production mode, without telemetry and request logs.
 *
 * node server.mjs --database-url postgresql://user:password@127.0.0.1:5432/name [--port 1337]
 *
 * Without --database-url it reads DATABASE_URL, then PGHOST, PGPORT, PGDATABASE, PGUSER and PGPASSWORD. Port
 * 0 selects a free one. The database must exist. The first start creates its tables, and fills an empty one
 * from bench/base-data.json. Prints `listening on <url>` once it is ready.
 */
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({ options: { 'database-url': { type: 'string' }, port: { type: 'string' } } });
if (options['database-url']) process.env.DATABASE_URL = options['database-url'];
if (options.port) process.env.PORT = options.port;
Object.assign(process.env, {
  NODE_ENV: 'production', STRAPI_TELEMETRY_DISABLED: 'true',
});

const appDir = import.meta.dirname;
mkdirSync(join(appDir, 'public', 'uploads'), { recursive: true }); // its upload plugin does not start without

const { createStrapi } = createRequire(import.meta.url)('@strapi/strapi');
const strapi = await createStrapi({ appDir, distDir: appDir }).start();
const { address, port } = strapi.server.httpServer.address();
console.log(`listening on http://${address}:${port}`);
