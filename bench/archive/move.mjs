/**
 * Process that exports or imports an archive:
 *
 * node move.mjs --database-url postgresql://… --file FILE [--import]
 *
 * Prints the documents, and the seconds and CPU seconds that they took, as JSON.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { ContentArchive, ContentModule } from 'nestjs-content-api';
import { scale } from '../models/scale.mjs';

const { values: options } = parseArgs({
  options: {
    'database-url': { type: 'string' },
    file: { type: 'string' },
    import: { type: 'boolean', default: false },
  },
});

const module = ContentModule.forRoot({ ...scale, database: { clientUrl: options['database-url'] } });
const app = await NestFactory.createApplicationContext(module, { logger: ['error'] });
const archive = app.get(ContentArchive);
const started = performance.now();
const before = process.cpuUsage();
const result = options.import
  ? await archive.import(() => createReadStream(options.file))
  : await archive.export(createWriteStream(options.file));
const { user, system } = process.cpuUsage(before);
const documents = options.import ? result.imported : result.documents;
console.log(
  JSON.stringify({ documents, seconds: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 }),
);
await app.close();
process.exit(); // A driver may still have open handles.
