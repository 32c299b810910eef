/** Peer for downloads: `express.static` on a directory. `node static.mjs --directory DIRECTORY` */
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { directory: { type: 'string' } } });
// The Express version that Nest depends on.
const require = createRequire(createRequire(import.meta.url).resolve('@nestjs/platform-express'));
const express = require('express');

const app = express();
app.use('/uploads', express.static(values.directory, { immutable: true, maxAge: '1y' }));
const server = app.listen(0, '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
