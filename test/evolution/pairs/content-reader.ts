/** Content that an application shows of its documents, by the keys of a model's parts. */
import { CONTENT_SCHEMA, type ContentSchema } from 'nestjs-content-api';
import type { Host } from '../../http/helpers.ts';
import { ADMIN, SECRETS } from '../run.ts';
import { PairFailure } from './failure.ts';
import { type Member, type Part, partOf, type Sketch, type Type } from './sketch.ts';

export interface Instance {
  readonly id: unknown;
  readonly part: string;
  readonly values: Values;
}

/** Values by the keys of their members: of scalars, `type document` of links, of instances. */
export type Values = Readonly<Record<string, unknown>>;

/** Documents by their ids. */
export type Documents = ReadonlyMap<string, Values>;

/** The documents of a type in a state and locale. */
export interface Version {
  readonly type: string;
  readonly status: 'draft' | 'published';
  readonly locale: string;
  readonly documents: Documents;
}

export type Dump = readonly Version[];

export const versionOf = (
  dump: Dump,
  wanted: Pick<Version, 'type' | 'status' | 'locale'>,
): Documents | undefined =>
  dump.find(
    ({ type, status, locale }) =>
      type === wanted.type && status === wanted.status && locale === wanted.locale,
  )?.documents;

const isLink = ({ shape }: Member): boolean => ['relation', 'morph', 'side'].includes(shape.kind);

/** Whether a member shows the links that other documents own. */
export const isInverse = ({ shape }: Member): boolean =>
  shape.kind === 'side' || (shape.kind === 'relation' && !shape.owns);

/** State and locale of a request. */
export type Request = Pick<Version, 'status' | 'locale'>;

/** Key of the links that an inverse side shows to a request with another state or locale than its document. */
export const linksFor = (key: string, { status, locale }: Request): string => `${key} ${status} ${locale}`;

/** Returns the populate parameters that show all members of a part, including those of its components. */
function populate(sketch: Sketch, part: Part, at: string): string[] {
  return part.members.flatMap(({ name, shape, ...member }): string[] => {
    const here = `${at}[${name}]`;
    if (isLink({ name, shape, ...member })) return [`${here}=true`];
    if (shape.kind === 'component') return inside(sketch, partOf(sketch, shape.component), here);
    if (shape.kind !== 'zone') return [];
    return shape.components.flatMap((key) => {
      const inner = partOf(sketch, key);
      return inside(sketch, inner, `${here}[on][${inner.name}]`);
    });
  });
}

function inside(sketch: Sketch, part: Part, at: string): string[] {
  const deeper = populate(sketch, part, `${at}[populate]`);
  return deeper.length === 0 ? [`${at}=true`] : deeper;
}

type Json = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): Json[] => [value ?? []].flat() as Json[];

function linksIn(sketch: Sketch, { shape }: Member, value: unknown): string[] {
  return listOf(value).map(({ documentId, __type: called }) => {
    const target =
      shape.kind === 'relation' || shape.kind === 'side'
        ? shape.target
        : sketch.types.find(({ name }) => `api::${name}.${name}` === called)?.key;
    return `${target ?? String(called)} ${String(documentId)}`;
  });
}

function instancesIn(sketch: Sketch, { shape }: Member, value: unknown): Instance[] {
  return listOf(value).map((item) => {
    const part =
      shape.kind === 'component'
        ? partOf(sketch, shape.component)
        : sketch.parts.find(({ name }) => name === item['__component']);
    if (part === undefined)
      throw new PairFailure('lost', `there is no component ${String(item['__component'])}`);
    return { id: item['id'], part: part.key, values: valuesIn(sketch, part, item) };
  });
}

const isHidden = ({ shape, options }: Member): boolean =>
  options['private'] === true || (shape.kind === 'scalar' && shape.type === 'password');

function valuesIn(sketch: Sketch, part: Part, json: Json): Values {
  const shown = part.members.filter((member) => !isHidden(member));
  return Object.fromEntries(
    shown.map((member): [string, unknown] => {
      const value = json[member.name];
      if (isLink(member)) return [member.key, linksIn(sketch, member, value)];
      if (member.shape.kind === 'scalar') return [member.key, value ?? null];
      return [member.key, instancesIn(sketch, member, value)];
    }),
  );
}

/** Reads all content of an application with one model. */
export class ContentReader {
  requests = 0;
  private readonly host: Host;
  private readonly sketch: Sketch;
  private readonly locales: readonly string[];

  /** Versions stay in `locales` that a model no longer has. */
  constructor(host: Host, sketch: Sketch, locales: readonly string[]) {
    this.host = host;
    this.sketch = sketch;
    this.locales = locales;
  }

  private async read(
    path: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string }> {
    this.requests += 1;
    const response = await fetch(this.host.url + path, { headers });
    const text = await response.text();
    if (response.status >= 500) throw new PairFailure('5xx', `${path} → ${response.status} ${text}`);
    return { status: response.status, text };
  }

  /** Returns everything that a caller with all permissions sees, and the hidden values by SQL. */
  async dump(): Promise<Dump> {
    const shown = await Promise.all(
      this.sketch.types.flatMap((type) =>
        this.statesOf(type).map(async (state) => {
          const version = await this.version(type, state);
          return { ...version, documents: await this.withOtherRequests(type, version) };
        }),
      ),
    );
    const hidden = await Promise.all(this.sketch.types.map((type) => this.hidden(type)));
    return shown.map((version) => ({ ...version, documents: withHidden(version, hidden.flat()) }));
  }

  /** Adds what inverse sides show to requests with a state or locale that the type does not have. */
  private async withOtherRequests(type: Type, { status, locale, documents }: Version): Promise<Documents> {
    const inverse = type.members.filter(isInverse);
    const requests = (type.localized ? [locale] : this.locales).flatMap((one): Request[] =>
      (type.drafts ? [status] : (['published', 'draft'] as const)).map((state) => ({
        status: state,
        locale: one,
      })),
    );
    const others =
      inverse.length === 0 ? [] : requests.filter((one) => one.status !== status || one.locale !== locale);
    const found = new Map(documents);
    for (const request of others) {
      const query = inverse.map(({ name }) => `populate[${name}]=true`).join('&');
      const path = `/api/${type.isSingle ? type.name : type.plural}?${query}&pagination[pageSize]=100`;
      const { status: code, text } = await this.read(
        `${path}&status=${request.status}&locale=${request.locale}`,
        ADMIN,
      );
      if (code !== 200 && !(code === 404 && type.isSingle))
        throw new PairFailure('other', `${path} → ${code} ${text}`);
      for (const json of code === 200 ? listOf((JSON.parse(text) as Json)['data']) : []) {
        const links = inverse.map((member): [string, unknown] => [
          linksFor(member.key, request),
          linksIn(this.sketch, member, json[member.name]),
        ]);
        const id = String(json['documentId']);
        found.set(id, { ...found.get(id), ...Object.fromEntries(links) });
      }
    }
    return found;
  }

  private statesOf({ drafts, localized }: Type): Request[] {
    const { defaultLocale } = this.sketch;
    return (localized ? this.locales : [defaultLocale]).flatMap((locale) =>
      (drafts ? (['published', 'draft'] as const) : (['published'] as const)).map((status) => ({
        status,
        locale,
      })),
    );
  }

  private async version(type: Type, { status, locale }: Request): Promise<Version> {
    const query = [
      ...populate(this.sketch, type, 'populate'),
      'sort=id',
      'pagination[pageSize]=100',
      ...(type.localized ? [`locale=${locale}`] : []),
    ].join('&');
    const path = `/api/${type.isSingle ? type.name : type.plural}?${query}`;
    const { status: code, text } = await this.read(`${path}&status=${status}`, ADMIN);
    if (code !== 200 && !(code === 404 && type.isSingle))
      throw new PairFailure('other', `${path} → ${code} ${text}`);
    if (status === 'published') {
      const open = await this.read(path, {});
      const found = SECRETS.exec(open.text);
      if (found !== null) throw new PairFailure('exposed', `${path} shows ${found[0]}: ${open.text}`);
    }
    const { data, meta } = (code === 200 ? JSON.parse(text) : { data: null }) as Json & { meta?: Json };
    const list = listOf(data);
    const total = (meta?.['pagination'] as Json | undefined)?.['total'];
    if (total !== undefined && total !== list.length)
      throw new PairFailure(
        'totals',
        `${path} has a total of ${JSON.stringify(total)} with ${list.length} documents`,
      );
    const documents = new Map(
      list.map((json): [string, Values] => [
        String(json['documentId']),
        {
          ...valuesIn(this.sketch, type, json),
          '@created': json['createdAt'],
          '@updated': json['updatedAt'],
          '@published': json['publishedAt'] ?? null,
        },
      ]),
    );
    if (documents.size !== list.length) throw new PairFailure('doubled', `${path} shows a document twice`);
    return { type: type.key, status, locale, documents };
  }

  /** Returns the values that no response shows, from the database. */
  private async hidden(type: Type): Promise<HiddenRow[]> {
    const schema = this.host.app.get<ContentSchema>(CONTENT_SCHEMA, { strict: false });
    const stored = schema.types.get(type.name);
    const columns = type.members.flatMap((member) => {
      const attribute = stored?.attributes.get(member.name);
      const isWanted = isHidden(member) || member.shape.kind === 'component' || member.shape.kind === 'zone';
      return isWanted && attribute !== undefined && 'column' in attribute
        ? [{ member, column: attribute.column }]
        : [];
    });
    if (stored === undefined || columns.length === 0) return [];
    const [schemaName, table = schemaName] = stored.table.split('.');
    const json = columns.map(({ member, column }) => `'${member.key}', to_jsonb("${column}")`).join(', ');
    const rows = await this.host.sql(
      `select document_id, published, locale, jsonb_build_object(${json}) as hidden from "${String(table)}"`,
    );
    return rows.map((row) => ({
      type: type.key,
      documentId: String(row['document_id']),
      status: row['published'] === true ? 'published' : 'draft',
      locale: String(row['locale']),
      values: Object.fromEntries(
        columns.map(({ member }): [string, unknown] => {
          const value = (row['hidden'] as Json)[member.key];
          return isHidden(member) && member.shape.kind === 'scalar'
            ? [member.key, value ?? null]
            : [`${member.key} hidden`, hiddenIn(this.sketch, member, value)];
        }),
      ),
    }));
  }
}

interface HiddenRow {
  readonly type: string;
  readonly documentId: string;
  readonly status: string;
  readonly locale: string;
  readonly values: Values;
}

/** Hidden values in instances, by the instance's id and the member's key. */
function hiddenIn(sketch: Sketch, { shape }: Member, value: unknown): Values {
  const found: Record<string, unknown> = {};
  for (const item of listOf(value)) {
    const part =
      shape.kind === 'component'
        ? partOf(sketch, shape.component)
        : sketch.parts.find(({ name }) => name === item['__component']);
    for (const member of part?.members ?? []) {
      const inner = item[member.name];
      if (isHidden(member)) found[`${String(item['id'])} ${member.key}`] = inner ?? null;
      else if (!isLink(member) && member.shape.kind !== 'scalar')
        Object.assign(found, hiddenIn(sketch, member, inner));
    }
  }
  return found;
}

function withHidden({ type, status, locale, documents }: Version, rows: readonly HiddenRow[]): Documents {
  const own = rows.filter((row) => row.type === type && row.status === status && row.locale === locale);
  return new Map(
    [...documents].map(([id, values]) => [
      id,
      { ...values, ...own.find(({ documentId }) => documentId === id)?.values },
    ]),
  );
}
