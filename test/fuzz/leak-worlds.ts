/**
 * Databases that differ only in data that a caller may not read. `alpha` is filled through the API. Each
 * caller gets a copy with other values of all hidden data. Hidden are private and password attributes, types
 * without `find`, links that only hidden attributes show, drafts without `readDrafts`, and attributes
 * without a grant.
 */
import { type Action, ContentMetrics, type Grant, type Grants } from 'nestjs-content-api';
import { copyDatabase, createDatabase } from '../support/database.ts';
import { Client, createTables, NamedCallers, type RunningApp, startApp, withSql } from './apps.ts';
import { fill, type RunSql, SECRET_FILES, valueOf } from './content.ts';
import {
  type Attribute,
  buildSchema,
  type ContentType,
  type Model,
  type MorphAttribute,
  type RelationAttribute,
  type ScalarAttribute,
  type Schema,
} from './internals.ts';
import { conditional, type Hiding, hidingOf, seedConditions } from './leak-conditions.ts';
import { model, OPEN } from './model.ts';

const READ = ['find', 'findOne'] as const;

const granting = (types: readonly string[], drafts: boolean): Grants =>
  Object.fromEntries(types.map((type) => [type, drafts ? [...READ, 'readDrafts'] : READ]));
const without = (name: string): Grants =>
  granting(
    OPEN.filter((type) => type !== name),
    true,
  );

const fields = (actions: readonly Action[], ...names: readonly string[]): Grant => ({
  actions,
  fields: names,
});

/** No caller may read `company` and `ledger`; each one lacks further grants. */
export const CALLERS: Readonly<Record<string, Grants>> = {
  drafts: granting(OPEN, true),
  published: granting(OPEN, false),
  noAuthor: without('author'),
  noCategory: without('category'),
  noArticle: without('article'),
  dossierOnly: granting(['dossier'], true),
  /** May read some attributes of most types, the same in lists and single documents. */
  narrowFind: {
    article: ['readDrafts', fields(READ, 'summary', 'views', 'author', 'categories', 'seo', 'zone')],
    author: [fields(READ, 'name', 'profile', 'articles')],
    category: READ,
    dossier: [fields(READ, 'title', 'clause', 'zone', 'people', 'articles', 'ledgers', 'hiddenString')],
    homepage: [fields(['find'], 'headline')],
    landing: ['readDrafts', fields(['find'], 'featured')],
    profile: [fields(['find'], 'author')],
    term: [fields(READ, 'word', 'code', 'sees', 'twin', 'near')],
  },
  /** May read some attributes of single documents. For some types it may also list other attributes. */
  narrowOne: {
    article: ['readDrafts', fields(['findOne'], 'title', 'author', 'related', 'sections')],
    author: [fields(['findOne'], 'name', 'articles', 'employer'), fields(['find'], 'avatar')],
    category: [fields(['findOne'], 'name', 'articles', 'parent'), fields(['find'], 'children')],
    dossier: [fields(['findOne'], 'title', 'clauses', 'articles', 'people')],
    term: [fields(['findOne'], 'word', 'broader'), fields(['find'], 'note', 'nearFrom')],
  },
  /** May list files, and therefore read which documents contain them. */
  librarian: { ...granting(OPEN, false), file: READ },
  /** May read single files, and some types with files. */
  viewer: { dossier: [fields(READ, 'title', 'scan')], author: ['findOne'], file: ['findOne'] },
  /** May read the versions that meet random conditions. */
  limited: conditional('limited', OPEN, true),
  limitedPublished: conditional('limitedPublished', OPEN, false),
  limitedMixed: { ...granting(OPEN, true), ...conditional('limitedMixed', ['article', 'dossier'], true) },
};

/** Types of a caller whose grants have conditions. */
const limitedTypes = (grants: Grants): ContentType[] =>
  typesOf(schema).filter(({ singularApiId }) =>
    grantsFor(grants, singularApiId, 'find').some((grant) => typeof grant !== 'string' && 'where' in grant),
  );

/** Adds the grant to read the model, which all callers have. */
export const withModel = (grants: Grants): Grants => ({
  ...grants,
  'content-type-builder': ['find'],
  desk: ['open'],
});

export const schema = buildSchema(model.contentTypes, model.components);

const isIn = (grant: Grant, action: Action): boolean =>
  typeof grant === 'string' ? grant === action : grant.actions.includes(action);

const grantsFor = (grants: Grants, type: string, action: Action): Grant[] =>
  [...(grants[type] ?? [])]
    .flatMap((grant) => (grant === '*' ? [] : [grant as Grant]))
    .filter((grant) => isIn(grant, action));

export const mayDo = (grants: Grants, type: string, action: Action): boolean =>
  grantsFor(grants, type, action).length > 0;
/** Returns whether a caller may list documents of a type and see them in relations. */
export const mayFind = (grants: Grants, type: string): boolean =>
  type === 'file' || mayDo(grants, type, 'find');
export const mayRead = (
  grants: Grants,
  { singularApiId, kind }: Pick<ContentType, 'singularApiId' | 'kind'>,
): boolean =>
  mayFind(grants, singularApiId) || (kind === 'collectionType' && mayDo(grants, singularApiId, 'findOne'));
export const mayReadFiles = (grants: Grants): boolean => READ.some((action) => mayDo(grants, 'file', action));
const mayReadDrafts = (grants: Grants, type: string): boolean => mayDo(grants, type, 'readDrafts');

export const isHidden = (attribute: Attribute): boolean =>
  attribute.private || (attribute.kind === 'scalar' && !attribute.type.readable);

/** Returns whether an attribute is visible in every readable document. */
const isOpen = (attribute: Attribute): boolean =>
  attribute.kind === 'scalar'
    ? attribute.system
    : attribute.kind === 'relation' && attribute.join.kind === 'locales';

const reaches = (grants: Grants, type: string, attribute: Attribute, action: Action): boolean => {
  const matching = grantsFor(grants, type, action);
  return isOpen(attribute)
    ? matching.length > 0
    : matching.some((grant) => typeof grant === 'string' || grant.fields?.includes(attribute.name) !== false);
};

/** Actions that read a type. */
const READS: readonly Action[] = READ;

/**
 * Returns whether a request must not depend on an attribute. For types, `actions` decide: at the root of a
 * request the action of the route, further down `find`.
 */
export function isSecret(
  attribute: Attribute,
  of: Model,
  grants: Grants,
  actions: readonly Action[],
): boolean {
  const closed =
    of.model === 'type' &&
    !of.internal &&
    !actions.some((action) => reaches(grants, of.singularApiId, attribute, action));
  return (
    closed ||
    isHidden(attribute) ||
    (attribute.kind === 'morph' &&
      !attribute.targets.some(({ singularApiId }) => mayFind(grants, singularApiId))) ||
    (attribute.kind === 'relation' &&
      !attribute.media &&
      attribute.join.kind !== 'locales' &&
      !mayFind(grants, attribute.target.singularApiId))
  );
}

type Json = Record<string, unknown>;

/** Document ids by type, used as other targets of hidden links. */
type Documents = ReadonlyMap<string, readonly string[]>;

class Rewrite {
  private readonly sql: RunSql;
  private readonly grants: Grants;
  private readonly documents: Documents;
  private readonly hiding: Hiding | null;
  private n = 0;

  constructor(sql: RunSql, [grants, hiding]: readonly [Grants, Hiding | null], documents: Documents) {
    this.hiding = hiding;
    this.sql = sql;
    this.grants = grants;
    this.documents = documents;
  }

  private other({ target }: Pick<RelationAttribute, 'target'>): string | null {
    const all = this.documents.get(target.singularApiId) ?? [];
    this.n += 1;
    return this.n % 3 === 0 ? null : (all[this.n % all.length] ?? null);
  }

  /** Another value, or null in some rows. */
  private scalar(attribute: ScalarAttribute): unknown {
    this.n += 1;
    if (this.n % 4 === 0) return null;
    const value = valueOf(attribute, this.n, 'omega');
    return attribute.def.type === 'password' ? `$argon2id$v=19$m=19456,t=2,p=1$omega$${this.n}` : value;
  }

  private member(of: Model, attribute: Attribute, value: unknown, all: boolean): unknown {
    const secret = all || isSecret(attribute, of, this.grants, READS);
    switch (attribute.kind) {
      case 'scalar':
        return secret && !attribute.system ? this.scalar(attribute) : value;
      case 'relation':
        if (!secret) return value;
        return attribute.many
          ? [this.other(attribute), this.other(attribute)].filter((id) => id !== null)
          : this.other(attribute);
      case 'morph':
        return this.keys(attribute, value, secret);
      default:
        return this.embedded(attribute, value, secret);
    }
  }

  private instance(of: Model, stored: Json, all: boolean): Json {
    const changed: Json = { ...stored };
    for (const attribute of of.attributes.values()) {
      if (attribute.name in stored || isHidden(attribute))
        changed[attribute.name] = this.member(of, attribute, stored[attribute.name], all);
    }
    if (all) changed['id'] = Number(stored['id']) + 100_000;
    return changed;
  }

  private embedded(
    attribute: Extract<Attribute, { kind: 'component' | 'zone' }>,
    value: unknown,
    all: boolean,
  ): unknown {
    if (value === null || value === undefined) return value;
    const change = (stored: Json): Json => {
      const component =
        attribute.kind === 'component'
          ? attribute.component
          : attribute.components.find(({ uid }) => uid === stored['__component']);
      return component === undefined ? stored : this.instance(component, stored, all);
    };
    if (!Array.isArray(value)) return change(value as Json);
    const items = (value as Json[]).map(change);
    return all ? items.slice(1) : items;
  }

  /** Returns whether no side that the caller can read shows the links of an owning attribute. */
  private linksAreSecret(owner: ContentType, attribute: RelationAttribute): boolean {
    if (!isSecret(attribute, owner, this.grants, READS)) return false;
    const inverse = [...attribute.target.attributes.values()].find(
      (other) =>
        other.kind === 'relation' &&
        other.target === owner &&
        'mappedBy' in other.def &&
        other.def.mappedBy === attribute.name,
    );
    return (
      attribute.media || inverse === undefined || isSecret(inverse, attribute.target, this.grants, READS)
    );
  }

  private async links(attribute: RelationAttribute, row: Json): Promise<void> {
    if (attribute.join.kind !== 'link') return;
    const { links } = attribute.join;
    const table = `"${links.table}"`;
    const owner = [row['document_id'], row['published'], links.perLocale ? row['locale'] : ''];
    await this.sql(
      `delete from ${table} where owner_document_id = $1 and published = $2 and locale = $3`,
      owner,
    );
    // A one-to-one target has one owner.
    const targets = links.exclusive ? [] : [...new Set([this.other(attribute), this.other(attribute)])];
    const columns = 'owner_document_id, published, locale, target_document_id, position';
    const place = links.inversePosition === null ? ['', ''] : [', inverse_position', ', $5::int4'];
    for (const [position, target] of targets.entries())
      if (target !== null)
        await this.sql(
          `insert into ${table} (${columns}${place[0]}) values ($1, $2, $3, $4, $5::int4${place[1]})`,
          [...owner, target, position],
        );
  }

  /** Replaces embedded links to several types, except the visible ones, which keep their order. */
  private keys(attribute: MorphAttribute, value: unknown, secret: boolean): unknown {
    const kept = [value].flat().filter((key): key is string => {
      const [type = ''] = typeof key === 'string' ? key.split(':') : [];
      return typeof key === 'string' && !secret && mayFind(this.grants, type);
    });
    const others = attribute.targets
      .filter(({ singularApiId }) => secret || !mayFind(this.grants, singularApiId))
      .map((target) => [target.singularApiId, this.other({ target })])
      .flatMap(([type, id]) => (id === null ? [] : [`${type ?? ''}:${id ?? ''}`]));
    if (attribute.many) return [...others, ...kept];
    return kept[0] ?? others[0];
  }

  /**
   * Replaces links to several types that no side shows to the caller; the others keep their order. Returns
   * whether it has changed any.
   */
  private async mixedLinks(type: ContentType, attribute: MorphAttribute, row: Json): Promise<boolean> {
    if (attribute.join.kind !== 'link') return false;
    const { links } = attribute.join;
    const secret = isSecret(attribute, type, this.grants, READS);
    const inverseOf = (target: ContentType): Attribute | undefined =>
      [...target.attributes.values()].find(
        (other) =>
          other.kind === 'relation' && 'morphBy' in other.def && other.def.morphBy === attribute.name,
      );
    const hidden = attribute.targets.filter((target) => {
      const inverse = inverseOf(target);
      const shows = inverse !== undefined && !isSecret(inverse, target, this.grants, READS);
      return (secret || !mayFind(this.grants, target.singularApiId)) && !shows;
    });
    if (hidden.length === 0) return false;
    const owner = [row['document_id'], row['published'], links.perLocale ? row['locale'] : ''];
    const from = `"${links.table}" where owner_document_id = $1 and published = $2 and locale = $3`;
    const names = hidden.map(({ singularApiId }) => singularApiId);
    await this.sql(`delete from ${from} and target_type = any($4)`, [...owner, names]);
    const left = Number((await this.sql(`select count(*)::int as n from ${from}`, owner))[0]?.['n']);
    if (links.toOne && left > 0) return true;
    for (const [i, target] of (links.toOne ? hidden.slice(0, 1) : hidden).entries()) {
      const id = this.other({ target });
      if (id !== null)
        await this.sql(
          `insert into "${links.table}" (owner_document_id, published, locale, target_type, target_document_id, position, inverse_position) values ($1, $2, $3, $4, $5, $6::int4, $6::int4)`,
          [...owner, target.singularApiId, id, 2 * i - 1],
        );
    }
    return true;
  }

  /** Whether the version does not meet the condition of the caller. */
  private refuses({ singularApiId }: ContentType, row: Json): boolean {
    const met = this.hiding?.met.get(singularApiId);
    return met !== undefined && !met.has(Number(row['id']));
  }

  /** Deletes hidden versions of some documents, unless conditions depend on the documents. */
  private async withoutHidden(type: ContentType): Promise<void> {
    const { hiding } = this;
    const met = hiding?.met.get(type.singularApiId);
    if (met === undefined || hiding?.entered.has(type.singularApiId) === true) return;
    await this.sql(
      `delete from "${type.table}" where not (id = any($1::int4[])) and ascii(document_id) % 2 = 0`,
      [[...met]],
    );
  }

  private async row(type: ContentType, row: Json): Promise<void> {
    const closed = !mayRead(this.grants, type);
    const decides = this.hiding?.names.get(type.singularApiId);
    const hidden =
      closed ||
      this.refuses(type, row) ||
      (type.draftAndPublish && row['published'] === false && !mayReadDrafts(this.grants, type.singularApiId));
    const sets = new Map<string, unknown>();
    let isRevised = false;
    for (const attribute of type.attributes.values()) {
      if (decides?.has(attribute.name) === true) continue;
      if (attribute.kind === 'relation') {
        if (!hidden && !this.linksAreSecret(type, attribute)) continue;
        // Another locale of the document, which the caller may read, shares these links.
        const isShared = attribute.join.kind === 'link' && !attribute.join.links.perLocale;
        if (isShared && type.localized && this.refuses(type, row)) continue;
        isRevised = true;
        if (attribute.join.kind === 'column') {
          // A one-to-one target has one owner.
          sets.set(attribute.join.column, attribute.exclusive ? null : this.other(attribute));
          if (attribute.join.position !== null) sets.set(attribute.join.position, -Number(row['id']));
        }
        await this.links(attribute, row);
      } else if (attribute.kind === 'scalar') {
        if (attribute.system || !(hidden || isSecret(attribute, type, this.grants, READS))) continue;
        const value = this.scalar(attribute);
        isRevised = true;
        sets.set(attribute.column, attribute.type.column === 'jsonb' ? JSON.stringify(value) : value);
      } else if (attribute.kind === 'morph') {
        if (await this.mixedLinks(type, attribute, row)) isRevised = true;
      } else {
        const value = this.embedded(
          attribute,
          row[attribute.column],
          hidden || isSecret(attribute, type, this.grants, READS),
        );
        if (JSON.stringify(value) !== JSON.stringify(row[attribute.column])) isRevised = true;
        sets.set(attribute.column, value === null ? null : JSON.stringify(value));
      }
    }
    // The stored revision covers all columns of a row, so it differs if any hidden column does.
    if (isRevised) sets.set('revision', (this.n += 1));
    if (hidden) sets.set('id', Number(row['id']) + 100_000);
    if (closed) sets.set('updated_at', new Date(0)).set('created_at', new Date(1));
    if (sets.size === 0) return;
    const columns = [...sets.keys()].map((column, i) => `"${column}" = $${i + 2}`);
    await this.sql(`update "${type.table}" set ${columns.join(', ')} where id = $1`, [
      row['id'],
      ...sets.values(),
    ]);
  }

  /** Changes the last files, which no document shows to a caller without a grant on files. */
  async files(): Promise<void> {
    if (mayReadFiles(this.grants)) return;
    const last = `select max(document_id) from content_files`;
    await this.sql(`delete from content_files where document_id = (${last})`);
    await this.sql(
      `update content_files set id = id + 100000, name = 'omega file', url = '/uploads/omega', folder_path = '/omega'
       where id > (select min(id) from content_files) + $1 - $2`,
      [(this.documents.get('file')?.length ?? 0) - 1, SECRET_FILES],
    );
  }

  async type(type: ContentType): Promise<void> {
    for (const row of await this.sql(`select * from "${type.table}" order by id`)) await this.row(type, row);
    await this.withoutHidden(type);
    if (this.hiding?.entered.has(type.singularApiId) === true) return;
    const table = `"${type.table}"`;
    // The number of hidden documents must not be visible.
    if (!mayRead(this.grants, type))
      await this.sql(`delete from ${table} where document_id = (select max(document_id) from ${table})`);
    if (type.draftAndPublish && !mayReadDrafts(this.grants, type.singularApiId)) {
      await this.sql(
        `delete from ${table} d where not published and not exists (select 1 from ${table} p where p.document_id = d.document_id and p.published)`,
      );
      // A caller must not detect whether a published document has a draft.
      await this.sql(
        `delete from ${table} where not published and document_id = (select min(document_id) from ${table})`,
      );
    }
  }
}

const typesOf = (of: Schema): ContentType[] => [...of.types.values()].filter((type) => !type.internal);

async function documentsOf(sql: RunSql): Promise<Documents> {
  const found = new Map<string, string[]>();
  for (const type of schema.types.values()) {
    const rows = await sql(`select document_id from "${type.table}" group by 1 order by min(id)`);
    found.set(
      type.singularApiId,
      rows.map((row) => String(row['document_id'])),
    );
  }
  return found;
}

/** Model with nothing hidden, which shows that the requests can detect a difference. */
export function openModel(): typeof model {
  const open = <T extends { readonly attributes: object }>(def: T): T => ({
    ...def,
    attributes: Object.fromEntries(
      Object.entries(def.attributes).map(([key, attribute]) => {
        const plain = { ...(attribute as { type: string; private?: boolean }), private: false };
        return [key, plain.type === 'password' ? { ...plain, type: 'string' } : plain];
      }),
    ),
  });
  return { ...model, contentTypes: model.contentTypes.map(open), components: model.components.map(open) };
}

/** One world, with the client and headers of a caller. */
export interface World {
  readonly client: Client;
  readonly headers: Readonly<Record<string, string>>;
}

/** Two worlds that a caller must not distinguish, and the same two with nothing hidden. */
export interface Pair {
  readonly caller: string;
  readonly grants: Grants;
  readonly alpha: World;
  readonly omega: World;
  readonly open: { readonly alpha: World; readonly omega: World };
}

export interface Worlds {
  readonly pairs: readonly Pair[];
  readonly documents: Documents;
  /** Number of responses from the cache. */
  kept(): number;
}

/** Filled databases as plain values, which can be sent to another process. */
export interface Prepared {
  readonly first: string;
  readonly copies: readonly { readonly caller: string; readonly url: string }[];
  readonly documents: readonly (readonly [string, readonly string[]])[];
  /** Seed of the conditions. */
  readonly seed: number;
}

type Closing = (() => Promise<unknown>)[];

/** Runs an application until its database is filled. */
async function filled(options: Parameters<typeof startApp>[0], url: string): Promise<Documents> {
  const filling = await startApp(options, url);
  try {
    await createTables(filling.app);
    return await withSql(url, async (sql) => {
      await fill(filling.app, sql, schema);
      return documentsOf(sql);
    });
  } finally {
    await filling.close();
  }
}

/** Fills one database and creates the other world of every caller; `closing` drops them. */
export async function prepareWorlds(
  callers: readonly string[],
  closing: Closing,
  { serverUrl, seed }: { readonly serverUrl?: string; readonly seed: number },
): Promise<Prepared> {
  const first = await createDatabase(serverUrl);
  closing.unshift(() => first.drop());
  const documents = await filled(model, first.url);
  seedConditions({ schema, documents, seed });
  const hidings = await hiddenFrom(callers, first.url);
  const making = callers.map(async (caller) => {
    const copy = await copyDatabase(first.url);
    closing.unshift(() => copy.drop());
    await withSql(copy.url, async (sql) => {
      const hiding = hidings.get(caller) ?? null;
      const rewrite = new Rewrite(sql, [CALLERS[caller] ?? {}, hiding], documents);
      await sql('begin');
      for (const type of typesOf(schema)) await rewrite.type(type);
      await rewrite.files();
      await sql('commit');
    });
    return { caller, url: copy.url };
  });
  const copies = await Promise.all(making);
  return { first: first.url, copies, documents: [...documents], seed };
}

/** Returns what the conditions of each caller hide in a filled database. */
async function hiddenFrom(callers: readonly string[], url: string): Promise<ReadonlyMap<string, Hiding>> {
  const found = new Map<string, Hiding>();
  const running = await startApp(model, url);
  try {
    for (const caller of callers) {
      const types = limitedTypes(CALLERS[caller] ?? {});
      if (types.length > 0) found.set(caller, await hidingOf(caller, types, running));
    }
  } finally {
    await running.close();
  }
  return found;
}

/** Model that exposes a private attribute, which verifies that the comparison detects it. */
function leakyModel(): typeof model {
  const shown = <T extends (typeof model.contentTypes)[number]>(def: T): T =>
    def.singularApiId === 'dossier'
      ? { ...def, attributes: { ...def.attributes, ...{ hiddenString: { type: 'string' } } } }
      : def;
  return { ...model, contentTypes: model.contentTypes.map(shown) };
}

/** Starts the applications of the prepared databases; `leaky` ones expose a private attribute. */
export async function connectWorlds(
  { first, copies, documents, seed }: Prepared,
  closing: Closing,
  leaky = false,
): Promise<Worlds> {
  seedConditions({ schema, documents: new Map(documents), seed });
  const options = {
    ...(leaky ? leakyModel() : model),
    library: true,
    auth: {
      strategies: [
        new NamedCallers(
          Object.fromEntries(Object.entries(CALLERS).map(([name, grants]) => [name, withModel(grants)])),
        ),
      ],
    },
  };
  const metrics: ContentMetrics[] = [];
  const openOptions = {
    ...openModel(),
    library: true,
    auth: { strategies: [new NamedCallers({ open: { '*': '*' } })] },
  };
  // Values that SQL has changed violate validation rules, so the open applications are not compared with the
  // API description.
  const start = async (
    content: Parameters<typeof startApp>[0],
    url: string,
    described = true,
  ): Promise<Client> => {
    const running: RunningApp = await startApp(content, url);
    metrics.push(running.app.get(ContentMetrics, { strict: false }));
    const client = new Client(running.url, { described });
    closing.unshift(async () => (client.close(), running.close()));
    return client;
  };
  const open = { authorization: 'Bearer open' };
  const alpha = await start(options, first);
  const alphaOpen = await start(openOptions, first, false);
  const pairs: Pair[] = [];
  for (const { caller, url } of copies) {
    const headers = { authorization: `Bearer ${caller}` };
    pairs.push({
      caller,
      grants: CALLERS[caller] ?? {},
      alpha: { client: alpha, headers },
      omega: { client: await start(options, url), headers },
      open: {
        alpha: { client: alphaOpen, headers: open },
        omega: { client: await start(openOptions, url, false), headers: open },
      },
    });
  }
  const kept = (): number => metrics.reduce((sum, { cache }) => sum + cache.hits, 0);
  return { pairs, documents: new Map(documents), kept };
}
