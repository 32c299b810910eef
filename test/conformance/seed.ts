/**
 * Runs the seed through the library's own services. Then sets the ids and times of its documents to the
 * recorded ones.
 */
import { fileURLToPath } from 'node:url';
import type { INestApplication } from '@nestjs/common';
import { ContentAccess, getContentToken } from 'nestjs-content-api';
import type { ContentService } from 'nestjs-content-api';
import { ApiTokens } from 'nestjs-content-api/accounts';
import pg from 'pg';
import { mapValues, readJson } from './cases.ts';
import type { Model, Seed, Upload, Write } from './cases.ts';
import type { Library } from './library.ts';
import { send } from './request.ts';

/** Reference → document id. */
type References = Map<string, string>;

/**
 * Sizes that an image encoder decided: as the reference stored them, by file name. See `recorded-files.json`.
 */
type RecordedFiles = Readonly<
  Record<
    string,
    {
      readonly size: number;
      readonly formats?: Readonly<Record<string, { readonly size: number; readonly sizeInBytes: number }>>;
    }
  >
>;

const RECORDED_FILES = readJson<{ files: RecordedFiles }>(
  fileURLToPath(new URL('./recorded-files.json', import.meta.url)),
).files;

/** Boxes of the smaller versions (protocol 20.10). */
const BOXES = { thumbnail: [245, 156], small: [500, 500], medium: [750, 750], large: [1000, 1000] } as const;

function fileFormats({ as, name, mime, content }: Upload): object | null {
  const { image } = content;
  if (image === undefined) return null;
  const { base, ext } = splitName(name);
  const entries = Object.entries(BOXES).flatMap(([format, [width, height]]) => {
    const scale = Math.min(width / image.width, height / image.height);
    if (scale >= 1) return [];
    const hash = `${format}_${base}_${tail(as)}`;
    const recorded = RECORDED_FILES[name]?.formats?.[format] ?? { size: 0.01, sizeInBytes: 10 };
    const box = { width: Math.round(image.width * scale), height: Math.round(image.height * scale) };
    return [
      [
        format,
        {
          name: `${format}_${name}`,
          hash,
          ext,
          mime,
          path: null,
          ...box,
          ...recorded,
          url: `/uploads/${hash}${ext}`,
        },
      ],
    ];
  });
  return entries.length === 0 ? null : (Object.fromEntries(entries) as object);
}

const splitName = (name: string): { base: string; ext: string } => {
  const dot = name.lastIndexOf('.');
  return { base: name.slice(0, dot).replace(/[^A-Za-z0-9]+/g, '_'), ext: name.slice(dot) };
};

/** Random part of a hash, as in the recording: the file's number. */
const tail = (reference: string): string => reference.slice(-4).padStart(10, '0');

function fileData(upload: Upload): object {
  const { base, ext } = splitName(upload.name);
  const hash = `${base}_${tail(upload.as)}`;
  const size = RECORDED_FILES[upload.name]?.size ?? 0.01;
  const stored = { hash, size, url: `/uploads/${hash}${ext}` };
  return { formats: fileFormats(upload), ...stored };
}

const resolve = (value: unknown, references: References): unknown =>
  typeof value === 'string'
    ? (references.get(value) ?? value)
    : mapValues(value, (entry) => resolve(entry, references));

async function write(
  app: INestApplication,
  operation: Write,
  { singles, references }: { singles: ReadonlySet<string>; references: References },
): Promise<void> {
  const service = app.get<ContentService<{ documentId: string }>>(getContentToken(operation.type), {
    strict: false,
  });
  const { locale, status } = operation;
  const query = { ...(locale === undefined ? {} : { locale }), ...(status === undefined ? {} : { status }) };
  const data = resolve(operation.data ?? {}, references) as object;
  const id = singles.has(operation.type) ? null : (references.get(operation.documentId ?? '') ?? null);
  const isNew = operation.op === 'create' && !singles.has(operation.type);
  const document = isNew ? await service.create(data, query) : await service.update(id, data, query);
  if (operation.as !== undefined) references.set(operation.as, document.documentId);
}

/** Uploads a file through the product's own API; returns its document id. */
async function upload(
  { port }: Library,
  { name, mime, content, fileInfo }: Upload,
  token: string,
): Promise<string> {
  const parts = [
    { name: 'files', filename: name, type: mime, ...content },
    { name: 'fileInfo', value: JSON.stringify(fileInfo) },
  ];
  const headers = { authorization: `Bearer ${token}` };
  const answer = await send(port, {
    method: 'POST',
    path: '/api/upload',
    headers,
    body: { __multipart: parts },
  });
  if (answer.status !== 201) throw new Error(`${name}: ${JSON.stringify(answer.body)}`);
  return (answer.body as readonly { readonly documentId: string }[])[0]?.documentId ?? '';
}

async function run(library: Library, { operations }: Seed, model: Model): Promise<References> {
  const { app } = library;
  const references: References = new Map();
  const tokens = app.get(ApiTokens, { strict: false });
  const { token, documentId } = await tokens.create({ name: 'seed', kind: 'full-access' });
  const singles = new Set(
    model.contentTypes.filter(({ kind }) => kind === 'singleType').map((type) => type.singularApiId),
  );
  for (const operation of operations) {
    if (operation.op === 'upload') {
      references.set(operation.as, await upload(library, operation, token));
    } else {
      await write(app, operation, { singles, references });
    }
  }
  await tokens.revoke(documentId);
  return references;
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

const COLUMNS = `select table_name as table, column_name as column, data_type as type from information_schema.columns
  where table_schema = current_schema() order by table_name, ordinal_position`;

const DOCUMENT_ID = /[a-z][a-z0-9]{23}/g;

/** Start of the recording's times: created in this minute, changed 1000 later, published 2000 later. */
const EPOCH = '2025-01-01T00:00:00.123Z';

const SIBLING = (table: string): string =>
  `select 1 from "${table}" o where o.document_id = r.document_id and o.locale = r.locale`;

/**
 * A published version of a type with drafts was changed by its publication; a draft edited since then, after
 * that.
 */
const PIN_TIMES = (table: string): string => `
  update "${table}" r set
    created_at = p.start,
    published_at = case when r.published_at is null then null else p.start + interval '2000 minutes' end,
    updated_at = p.start + case
      when r.published and exists (${SIBLING(table)} and not o.published) then interval '2000 minutes'
      when not r.published and exists (${SIBLING(table)} and o.published and o.updated_at < r.updated_at) then interval '3000 minutes'
      else interval '1000 minutes' end
  from (select reference, timestamptz '${EPOCH}' + interval '1 minute' * (substring(reference from '\\d+$'))::int as start
    from unnest($1::text[]) as reference where reference ~ '\\d$') p
  where p.reference = r.document_id`;

/** Names of files in the reference, and the sizes from its encoder. */
const PIN_FILE = `update content_files set hash = f.hash, url = f.url, size = f.size, formats = f.formats
  from jsonb_to_record($2::jsonb) as f(hash text, url text, size numeric, formats jsonb) where document_id = $1`;

/**
 * The recording has readable document ids and times (`aut…0001`), and requests that filter and sort by them.
 * The library chooses its own, so SQL sets them in the tables.
 */
async function pin(databaseUrl: string, references: References, uploads: readonly Upload[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const pinned = new Map([...references].map(([reference, documentId]) => [documentId, reference]));
  const [old, wanted] = [[...pinned.keys()], [...pinned.values()]];
  try {
    const { rows } = await client.query<Column>(COLUMNS);
    for (const { table, column, type } of rows) {
      if (column.endsWith('document_id')) {
        await client.query(
          `update "${table}" r set "${column}" = p.new from unnest($1::text[], $2::text[]) as p(old, new) where r."${column}" = p.old`,
          [old, wanted],
        );
      } else if (type === 'jsonb') {
        await pinJson(client, { table, column }, pinned);
      }
    }
    const documents = new Set(
      rows.filter(({ column }) => column === 'document_id').map(({ table }) => table),
    );
    for (const { table } of rows.filter(
      ({ column, table }) => column === 'created_at' && documents.has(table),
    ))
      await client.query(PIN_TIMES(table), [wanted]);
    for (const one of uploads) await client.query(PIN_FILE, [one.as, JSON.stringify(fileData(one))]);
  } finally {
    await client.end();
  }
}

async function pinJson(
  client: pg.Client,
  { table, column }: { table: string; column: string },
  pinned: ReadonlyMap<string, string>,
): Promise<void> {
  const { rows } = await client.query<{ id: number; text: string }>(
    `select id, "${column}"::text as text from "${table}" where "${column}" is not null`,
  );
  for (const { id, text } of rows) {
    const replaced = text.replace(DOCUMENT_ID, (documentId) => pinned.get(documentId) ?? documentId);
    if (replaced !== text)
      await client.query(`update "${table}" set "${column}" = $1::jsonb where id = $2`, [replaced, id]);
  }
}

/** The recording numbers its users in their order. */
const userReference = (index: number): string => `upuserxxxxxxxxxxxxxx${String(index + 1).padStart(4, '0')}`;

async function addUsers(app: INestApplication, { access }: Seed): Promise<References> {
  const references: References = new Map();
  // The first query of role permissions creates the roles.
  await app.get(ContentAccess, { strict: false }).permissionsOf(['public']);
  const service = (type: string): ContentService =>
    app.get<ContentService>(getContentToken(type), { strict: false });
  const roles = new Map(
    (await service('role').find()).data.map((role) => [
      (role as unknown as { type: string }).type,
      role.documentId,
    ]),
  );
  for (const [index, { role, ...user }] of (access.users ?? []).entries()) {
    const data = { ...user, provider: 'local', role: { documentId: roles.get(role) } };
    references.set(userReference(index), (await service('user').create(data)).documentId);
  }
  return references;
}

/** Fills the database; returns the document ids that the recording has too. */
export async function plant(
  library: Library,
  { seed, model, databaseUrl }: { seed: Seed; model: Model; databaseUrl: string },
): Promise<ReadonlySet<string>> {
  const users = await addUsers(library.app, seed);
  const references = new Map([...users, ...(await run(library, seed, model))]);
  const uploads = seed.operations.filter((operation) => operation.op === 'upload');
  await pin(databaseUrl, references, uploads);
  return new Set(references.keys());
}
