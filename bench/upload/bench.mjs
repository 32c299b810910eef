/**
 * `npm run bench -- upload [--uploads 500] [--megabytes 5] [--pictures 40] [--rounds 3] [--seconds 5]
 * [--files 100000] [--only memory]`
 *
 * Measures memory and disk use of large uploads, and images per second relative to bare `sharp`. Also
 * measures downloads relative to `express.static`, and refused uploads and removals in a large library.
 * Writes bench/results/upload.{md,json}.
 */
import { randomBytes } from 'node:crypto';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { describePostgres, startDatabases } from '../databases.mjs';
import { run } from '../load.mjs';
import { median } from '../read/measure.mjs';
import { spawnServer } from '../spawn-server.mjs';
import { uploadAll } from './client.mjs';
import { forgetPeak, peakOf, residentOf } from './memory.mjs';
import { compare, fill } from './refused.mjs';
import { report } from './report.mjs';

const here = import.meta.dirname;
const results = join(here, '..', 'results');
const AT_A_TIME = 20;
/** Number of uploads of each content. */
const TIMES = 10;
const MEGABYTE = 1024 * 1024;

/** Returns the number of files below a directory, and their bytes. */
async function onDisk(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return { files: files.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Returns the growth of a server's memory during `work`. */
async function grownDuring(pid, work) {
  const before = await residentOf(pid);
  await forgetPeak(pid);
  const done = await work();
  return { before, peak: await peakOf(pid), after: await residentOf(pid), done };
}

async function memory({ server, directory }, { uploads, megabytes }) {
  const contents = Math.max(1, Math.round(uploads / TIMES));
  const bytes = Array.from({ length: contents }, () => randomBytes(megabytes * MEGABYTE));
  const file = (n) => ({
    name: `file-${n}.bin`,
    type: 'application/octet-stream',
    bytes: bytes[n % contents],
  });
  await uploadAll(
    server.url,
    Array.from({ length: AT_A_TIME }, (_, n) => file(n)),
    AT_A_TIME,
  );
  const { done, ...used } = await grownDuring(server.pid, () =>
    uploadAll(
      server.url,
      Array.from({ length: uploads }, (_, n) => file(n)),
      AT_A_TIME,
    ),
  );
  const disk = await onDisk(directory);
  return { ...used, seconds: done.seconds, contents, sent: contents * megabytes * MEGABYTE, disk };
}

/** Writes different photographs of about 5 MB. */
async function takePictures(count, directory) {
  await mkdir(directory);
  for (let n = 0; n < count; n += 1) {
    const noise = { type: 'gaussian', mean: 90 + (n % 60), sigma: 26 };
    const picture = sharp({ create: { width: 3000, height: 2000, channels: 3, noise } });
    await picture.jpeg({ quality: 90 }).toFile(join(directory, `picture-${n}.jpg`));
  }
}

async function bareSharp(pictures, into) {
  await mkdir(into);
  const child = fork(join(here, 'bare-sharp.mjs'), [pictures, into, String(AT_A_TIME)], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [seconds] = await once(child, 'message');
  await rm(into, { recursive: true });
  return seconds;
}

/** Measures images per second, in turns with bare sharp, with new images in each turn. */
async function pictures({ server, scratch }, { pictures: count, rounds }) {
  const turns = [];
  let used;
  let bytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const directory = join(scratch, `pictures-${round}`);
    await takePictures(count, directory);
    const bare = await bareSharp(directory, join(scratch, `bare-${round}`));
    const named = async (name) => ({
      name,
      type: 'image/jpeg',
      bytes: await readFile(join(directory, name)),
    });
    const files = await Promise.all((await readdir(directory)).map(named));
    bytes = files.reduce((sum, file) => sum + file.bytes.length, 0) / count;
    const { done, ...grown } = await grownDuring(server.pid, () => uploadAll(server.url, files, AT_A_TIME));
    used ??= grown;
    turns.push({ library: count / done.seconds, bare: count / bare });
    await rm(directory, { recursive: true });
  }
  return { count, bytes, turns, ratio: median(turns.map(({ library, bare }) => library / bare)), used };
}

/** Measures downloads per second, in turns with `express.static` on the same bytes. */
async function downloads({ server, scratch }, { rounds, seconds }) {
  const directory = join(scratch, 'static');
  await mkdir(directory);
  const peer = await spawnServer({
    args: [join(here, 'static.mjs'), '--directory', directory],
    env: { NODE_ENV: 'production' },
  });
  try {
    const sizes = [];
    for (const [name, size] of [
      ['20 kB', 20_000],
      ['1 MB', MEGABYTE],
      ['5 MB', 5 * MEGABYTE],
    ]) {
      const file = { name: `${size}.bin`, type: 'application/octet-stream', bytes: randomBytes(size) };
      const { answers } = await uploadAll(server.url, [file], 1);
      const path = answers[0].url;
      await writeFile(join(directory, path.slice('/uploads/'.length)), file.bytes);
      const get = async (url, time) => (await run({ url, path, connections: 10, seconds: time })).rps;
      for (const url of [server.url, peer.url]) await get(url, 1);
      const turns = [];
      for (let round = 0; round < rounds; round += 1)
        turns.push({ library: await get(server.url, seconds), peer: await get(peer.url, seconds) });
      sizes.push({ name, turns, ratio: median(turns.map((turn) => turn.library / turn.peer)) });
    }
    return sizes;
  } finally {
    await peer.stop();
  }
}

/** Measures refused uploads and removals, on this server and on one with many files. */
async function refused({ server, scratch, databases }, { files }) {
  const directory = join(scratch, 'kept-many');
  const databaseUrl = await databases.create();
  const many = await startServer(databaseUrl, directory);
  try {
    await fill({ url: many.url, directory, databaseUrl }, files);
    return { files, kinds: await compare(server, many) };
  } finally {
    await many.stop();
  }
}

const startServer = (databaseUrl, directory) =>
  spawnServer({
    args: [join(here, 'server.mjs'), '--database-url', databaseUrl, '--directory', directory],
    env: { NODE_ENV: 'production' },
  });

const PARTS = { memory, pictures, downloads, refused };

export async function bench(args) {
  const text = (value) => ({ type: 'string', default: value });
  const { values } = parseArgs({
    args,
    options: {
      uploads: text('500'),
      megabytes: text('5'),
      pictures: text('40'),
      rounds: text('3'),
      seconds: text('5'),
      files: text('100000'),
      only: { type: 'string' },
    },
  });
  const { only, ...given } = values;
  const options = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)]));
  const [load] = loadavg();
  const scratch = await mkdtemp(join(tmpdir(), 'bench-upload-'));
  const databases = await startDatabases();
  const outcome = {};
  try {
    for (const [name, part] of Object.entries(PARTS)) {
      if (only !== undefined && only !== name) continue;
      const directory = join(scratch, `kept-${name}`);
      const databaseUrl = await databases.create();
      const server = await startServer(databaseUrl, directory);
      try {
        outcome[name] = await part({ server, directory, scratch, databases }, options);
      } finally {
        await server.stop();
      }
    }
    const machine = {
      ...(await describePostgres(databases.url)),
      date: new Date().toISOString().slice(0, 10),
      load: Number(load.toFixed(1)),
    };
    const markdown = report({ machine, options, ...outcome });
    console.log(markdown);
    if (only !== undefined) return;
    await mkdir(results, { recursive: true });
    await writeFile(join(results, 'upload.md'), markdown);
    await writeFile(
      join(results, 'upload.json'),
      `${JSON.stringify({ machine, options, ...outcome }, null, 2)}\n`,
    );
  } finally {
    await databases.stop();
    await rm(scratch, { recursive: true, force: true });
  }
}
