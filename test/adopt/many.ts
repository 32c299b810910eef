/** Moves an archive with many rows in: rows per second and memory. Its rows are simple; every second one has a link. */
import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../support/database.ts';
import { adoptedModel, startAdopted } from './app.ts';
import { entryBytes } from './generator/tar.ts';

const UID = 'api::row.row';
const SCHEMA = {
  uid: UID,
  modelType: 'contentType',
  kind: 'collectionType',
  info: { singularName: 'row', pluralName: 'rows', displayName: 'Row' },
  options: { draftAndPublish: false },
  attributes: {
    title: { type: 'string' },
    n: { type: 'integer' },
    text: { type: 'text' },
    next: { type: 'relation', relation: 'manyToOne', target: UID },
  },
};

/** Lines of one file of the archive. */
const LINES = 50_000;
const TIME = '2024-01-01T00:00:00.000Z';
const idOf = (n: number): string => `d${String(n).padStart(23, '0')}`;

const rowOf = (n: number): object => ({
  type: UID,
  id: n,
  data: {
    documentId: idOf(n),
    ...{ title: `Row ${n}`, n, text: 'Some text of a row. '.repeat(5) },
    ...{ createdAt: TIME, updatedAt: TIME, publishedAt: TIME, locale: null },
  },
});

function linksOf(n: number, count: number): object[] {
  const line = { kind: 'relation.circular', left: { type: UID, ref: n } };
  const next = { type: UID, ref: ((n * 7919) % count) + 1 };
  return [
    {
      ...line,
      relation: 'oneToMany',
      left: { ...line.left, field: 'localizations' },
      right: { type: UID, ref: idOf(n) },
    },
    ...(n % 2 === 0
      ? []
      : [{ ...line, relation: 'manyToOne', left: { ...line.left, field: 'next' }, right: next }]),
  ];
}

async function writeLines(
  out: WriteStream,
  folder: string,
  [count, linesOf]: readonly [number, (n: number) => readonly object[]],
): Promise<void> {
  for (let first = 1, file = 1; first <= count; first += LINES, file += 1) {
    const lines: string[] = [];
    for (let n = first; n < first + LINES && n <= count; n += 1)
      lines.push(...linesOf(n).map((line) => `${JSON.stringify(line)}\n`));
    const name = `${folder}/${folder}_${String(file).padStart(5, '0')}.jsonl`;
    if (!out.write(entryBytes({ name, body: Buffer.from(lines.join('')) }))) await once(out, 'drain');
  }
}

/** Writes an archive of Strapi 5 without keeping it in memory. */
async function writeMany(path: string, count: number): Promise<void> {
  const out = createWriteStream(path);
  await writeLines(out, 'schemas', [1, () => [SCHEMA]]);
  await writeLines(out, 'entities', [count, (n) => [rowOf(n)]]);
  await writeLines(out, 'links', [count, (n) => linksOf(n, count)]);
  const body = Buffer.from(JSON.stringify({ createdAt: TIME, strapi: { version: '5.54.0' } }));
  out.write(entryBytes({ name: 'metadata.json', body }));
  out.end(Buffer.alloc(1024));
  await once(out, 'close');
}

const megabytes = (): number => Math.round(process.memoryUsage().rss / 2 ** 20);

/** Moves an archive with a number of rows into an empty database, and prints time and memory. */
export async function moveMany(count: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'many-'));
  const file = join(folder, 'many.tar');
  await writeMany(file, count);
  const database = await createDatabase();
  const begun = performance.now();
  let converted = 0;
  const seconds = (): number => (performance.now() - begun) / 1000;
  const say = (line: string): void => {
    if (line.startsWith('import') && converted === 0) converted = seconds();
    console.log(`${seconds().toFixed(0)} s  ${String(megabytes())} MB  ${line}`);
  };
  const host = await startAdopted({ ...(await adoptedModel(file)), say }, database);
  const started = seconds();
  const memory: number[] = [];
  const timer = setInterval(() => memory.push(megabytes()), 1000);
  console.log(await host.adopt(file));
  clearInterval(timer);
  const took = seconds() - started;
  const [{ rows } = {}] = await host.sql('select count(*)::int as rows from rows');
  const response = await fetch(
    `${host.url}/api/rows?filters[next][id][$notNull]=true&pagination[pageSize]=1`,
  );
  const { meta } = (await response.json()) as { meta: { pagination: { total: number } } };
  const half = memory.length >> 1;
  const peaks = [memory.slice(0, half), memory.slice(half)].map((part) => Math.max(...part));
  console.log(
    `${String(rows)} rows and ${meta.pagination.total} links in ${took.toFixed(0)} s: ${Math.round(count / took)} rows per second` +
      ` (the import began after ${(converted - started).toFixed(0)} s); at most ${peaks[0]} MB in the first half of the time, ${peaks[1]} MB in the second`,
  );
  await host.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
}
