/** Helper for specs that write many documents and check their links. */
import { type ContentService, getContentToken } from 'nestjs-content-api';
import type { TestApp } from '../support/app.ts';

export interface Row {
  readonly id: number;
  readonly documentId: string;
  readonly [attribute: string]: any;
}

const LABELS = ['title', 'name', 'note'];

/** Returns the label of a document, or null. */
const label = (row: Row | null): string | null =>
  row === null ? null : (LABELS.map((key) => row[key]).find((text) => typeof text === 'string') ?? null);

/** Reads and writes the model; `paths` are routes with their query. */
export class Writer {
  constructor(readonly test: TestApp) {}

  private async send(method: 'get' | 'post' | 'put', path: string, data?: object): Promise<Row> {
    const request = this.test.http[method](`/api/${path}`);
    const { status, body } = await (data === undefined ? request : request.send({ data }));
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body.error)}`);
    return body.data;
  }

  post = (path: string, data: object): Promise<Row> => this.send('post', path, data);
  put = (path: string, data: object): Promise<Row> => this.send('put', path, data);
  get = (path: string): Promise<any> => this.send('get', path);

  /** Ids of documents of a type with these labels. */
  async several(plural: string, labels: string, query = ''): Promise<string[]> {
    const ids: string[] = [];
    const key = ['topics', 'nodes'].includes(plural) ? 'name' : 'title';
    for (const text of labels) ids.push((await this.post(`${plural}${query}`, { [key]: text })).documentId);
    return ids;
  }

  /** Returns the labels of an attribute's items in order, such as `abc`; for one item, its label or null. */
  async labels(path: string, attribute: string, query = ''): Promise<string | null> {
    const steps = attribute.split('.');
    const populate = steps.map((step) => `[${step}]`).join('[populate]');
    const row = await this.get(`${path}?populate${populate}=true${query}`);
    const found: Row | Row[] | null = steps.reduce(
      (at: any, step) => (Array.isArray(at) ? at.flatMap((one) => one[step]) : (at?.[step] ?? null)),
      row,
    );
    return Array.isArray(found) ? found.map(label).join('') : label(found);
  }

  /** Returns the same for the published version and the draft of each locale. */
  async everywhere(
    path: string,
    attribute: string,
    locales = ['en', 'fr'],
  ): Promise<Record<string, unknown>> {
    const asked = locales.flatMap((locale) => ['published', 'draft'].map((status) => ({ locale, status })));
    const entries = asked.map(async ({ locale, status }): Promise<[string, unknown]> => {
      const found = this.labels(path, attribute, `&locale=${locale}&status=${status}`);
      return [`${locale} ${status}`, await found.catch(() => 'missing')];
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  service(type: string): ContentService<Row> {
    return this.test.app.get<ContentService<Row>>(getContentToken(type), { strict: false });
  }

  /** Creates files and returns their row ids. */
  async files(count: number): Promise<number[]> {
    const rows = await this.test.sql(
      `insert into content_files (document_id, created_at, updated_at, published_at, published, locale, name, hash, mime, size, url, provider)
       select 'f' || n || '-' || floor(random() * 1e9), now(), now(), now(), true, 'en', chr(96 + n), 'h', 'image/png', 1, '/uploads/f', 'local'
       from generate_series(1, $1::int4) n returning id`,
      [count],
    );
    return rows.map(({ id }) => Number(id));
  }
}

/** Maps all of these places to the same value. */
export const all = (value: unknown, ...places: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(places.map((place) => [place, value]));

export const BOTH_STATES = ['en published', 'en draft'];
export const EVERYWHERE = [...BOTH_STATES, 'fr published', 'fr draft'];
