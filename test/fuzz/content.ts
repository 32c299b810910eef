/**
 * Documents generated from the schema of a model: most of them with all attributes, and with relations in
 * all directions.
 */
import type { INestApplication } from '@nestjs/common';
import { type ContentService, getContentToken } from 'nestjs-content-api';
import type { Attribute, Component, ContentType, Model, ScalarAttribute, Schema } from './internals.ts';

type Values = Record<string, unknown>;
export type RunSql = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** Number of documents per collection type. */
const DOCUMENTS = 5;
const FILES = 4;
/** Number of files that only private attributes link. */
export const SECRET_FILES = 2;

const DAY = 86_400_000;
const BASE = Date.UTC(2024, 0, 1, 10, 30, 15, 250);

/** Value of a scalar in the n-th document. The values of `alpha` and `omega` are always different. */
export function valueOf(
  { name, def }: Pick<ScalarAttribute, 'name' | 'def'>,
  n: number,
  world: 'alpha' | 'omega' = 'alpha',
): unknown {
  const far = world === 'alpha' ? 0 : 500;
  const at = new Date(BASE + (n + far) * DAY);
  switch (def.type) {
    case 'email':
      return `${world}${n}@example.org`;
    case 'uid':
      return `${world}-${name}-${n}`;
    case 'enumeration':
      return def.enum?.[world === 'alpha' ? 0 : def.enum.length - 1];
    case 'integer':
      return 100 + n + far;
    case 'biginteger':
      return String(9_000_000_000_000_000n + BigInt(n + far));
    case 'float':
    case 'decimal':
      return 10.25 + n + far;
    case 'boolean':
      return world === 'alpha';
    case 'date':
      return at.toISOString().slice(0, 10);
    case 'time':
      return world === 'alpha' ? `0${n % 9}:15:00` : `2${n % 4}:45:00.500`;
    case 'datetime':
      return at.toISOString();
    case 'timestamp':
      return String(at.getTime());
    case 'json':
      return { world, n };
    case 'array':
      return [world, n];
    case 'blocks':
      return [{ type: 'paragraph', children: [{ type: 'text', text: `${world} ${n}` }] }];
    case 'password':
      return `${world} secret ${n}`;
    default:
      return n === 1 ? `${world.toUpperCase()} ${name} 50%_\\ ${n}` : `${world} ${name} ${n}`;
  }
}

interface Ids {
  readonly documents: Map<string, string[]>;
  readonly files: readonly number[];
  readonly secretFiles: readonly number[];
}

const around = <T>(list: readonly T[], n: number): T[] =>
  list.length === 0 ? [] : [...new Set([0, 1].map((i) => list[(n + i) % list.length] as T))];

/** Value of an attribute in the body of the n-th document; undefined omits it. */
function bodyValue(attribute: Attribute, n: number, ids: Ids): unknown {
  // The last document has only the required attributes.
  if (n === DOCUMENTS - 1 && !attribute.required) return undefined;
  switch (attribute.kind) {
    case 'scalar':
      if (attribute.system || !attribute.writable) return undefined;
      // Hashing is slow, so only one document per type has a password.
      if (attribute.def.type === 'password' && n !== 0) return undefined;
      return n === 3 && !attribute.required ? null : valueOf(attribute, n);
    case 'relation': {
      if (attribute.name === 'localizations' || attribute.join.side === 'inverse') return undefined;
      if (attribute.media) {
        const files = attribute.private ? ids.secretFiles : ids.files;
        return attribute.many ? around(files, n) : files[n % files.length];
      }
      const targets = ids.documents.get(attribute.target.singularApiId) ?? [];
      if (targets.length === 0) return undefined;
      return attribute.many ? around(targets, n + 1).reverse() : targets[n % targets.length];
    }
    case 'morph': {
      const items = attribute.targets.flatMap(({ singularApiId: name }) =>
        around(ids.documents.get(name) ?? [], n).map((documentId) => ({
          __type: `api::${name}.${name}`,
          documentId,
        })),
      );
      return attribute.many ? items : items[n % items.length];
    }
    case 'component':
      return attribute.many
        ? [instance(attribute.component, n, ids), instance(attribute.component, n + 1, ids)]
        : instance(attribute.component, n, ids);
    case 'zone':
      return attribute.components.map((component, i) => ({
        __component: component.uid,
        ...(instance(component, n + i, ids) as Values),
      }));
  }
}

const instance = (component: Component, n: number, ids: Ids): unknown =>
  values(component, n % (DOCUMENTS - 1), ids);

const values = (model: Model, n: number, ids: Ids): Values =>
  Object.fromEntries(
    [...model.attributes.values()]
      .map((attribute) => [attribute.name, bodyValue(attribute, n, ids)])
      .filter(([, value]) => value !== undefined),
  );

async function files(sql: RunSql): Promise<number[]> {
  const made = await sql(
    `insert into content_files (document_id, created_at, updated_at, published_at, published, locale, name, hash, mime, size, url, provider, ext, width)
     select 'file' || lpad(n::text, 20, '0'), $1, $1, $1, true, 'en', 'alpha file ' || n, 'hash' || n, 'image/png', n, '/uploads/' || n, 'local', '.png', 10 * n
     from generate_series(1, $2::int) n returning id`,
    [new Date(BASE), FILES + SECRET_FILES],
  );
  return made.map(({ id }) => Number(id));
}

const withoutLinks = (body: Values, type: ContentType): Values =>
  Object.fromEntries(
    Object.entries(body).filter(
      ([key]) => type.attributes.get(key)?.kind === 'scalar' || type.attributes.get(key)?.required === true,
    ),
  );

const strings = (type: ContentType): ScalarAttribute[] =>
  [...type.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && !attribute.system && attribute.def.type === 'string',
  );

/** Creates documents of every type, with changed drafts, an unpublished document and a second locale. */
export async function fill(app: INestApplication, sql: RunSql, schema: Schema): Promise<void> {
  const all = await files(sql);
  const ids: Ids = { documents: new Map(), files: all.slice(0, FILES), secretFiles: all.slice(FILES) };
  const types = [...schema.types.values()].filter((type) => !type.internal);
  const service = (type: ContentType): ContentService =>
    app.get<ContentService>(getContentToken(type.singularApiId), { strict: false });
  for (const type of types) {
    const made: string[] = [];
    for (let n = 0; n < (type.kind === 'singleType' ? 1 : DOCUMENTS); n += 1) {
      const body = withoutLinks(values(type, n, ids), type);
      const create =
        type.kind === 'singleType' ? service(type).update(null, body) : service(type).create(body);
      made.push(((await create) as { documentId: string }).documentId);
    }
    ids.documents.set(type.singularApiId, made);
  }
  for (const type of types) {
    for (const [n, documentId] of (ids.documents.get(type.singularApiId) ?? []).entries()) {
      const id = type.kind === 'singleType' ? null : documentId;
      const body = Object.fromEntries(
        Object.entries(values(type, n, ids)).filter(([key]) => type.attributes.get(key)?.kind !== 'scalar'),
      );
      await service(type).update(id, body);
      // Unique values stay unchanged; the second locale differs in localized attributes.
      if (type.localized && n < 3) {
        const localized = strings(type).filter((attribute) => attribute.localized);
        await service(type).update(
          id,
          Object.fromEntries(localized.map(({ name }) => [name, `beta ${name} ${n}`])),
          { locale: 'fr' },
        );
      }
      if (type.draftAndPublish && n === 1) {
        await service(type).update(
          id,
          Object.fromEntries(strings(type).map(({ name }) => [name, `draft ${name} ${n}`])),
          { status: 'draft' },
        );
      }
    }
    if (type.draftAndPublish) await service(type).create(values(type, 2, ids), { status: 'draft' });
  }
}
