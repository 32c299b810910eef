/** Documents that a caller finds now, with their titles and states. */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { CONTENT_SETTINGS, type ContentSettings, finiteLimit } from '../../kernel/settings.js';
import { checkedAs, isListOf, isNullOr, isOptional, isShape, isText } from '../../kernel/json.js';
import type { Action } from '../access/actions.js';
import { decideRead } from '../access/decide.js';
import { byKind } from '../model/by-kind.js';
import type { Attribute, ContentType } from '../model/model.js';
import { oneOf, rightsOf } from '../plan/rights.js';
import { versionQuery } from '../plan/version-query.js';
import type { Viewer } from '../plan/version-rights.js';
import { Documents } from './documents.service.js';

type Values = Readonly<Record<string, unknown>>;

export interface VisibleVersion {
  readonly documentId: string;
  /** Null in types without locales. */
  readonly locale: string | null;
  readonly title: unknown;
  /** `draft`, `modified` or `published`; `published` for a caller that cannot read the draft. */
  readonly status: string;
  /** Whether the caller can read the draft, so that the status tells of it. */
  readonly isCompared: boolean;
}

const isFoundList = isListOf(
  isShape({
    documentId: isText,
    locale: isOptional(isNullOr(isText)),
    __state: isOptional(isShape({ status: isText })),
  }),
);

/** Publication states of a type, drafts first: whether they are published. */
export const statesOf = ({ draftAndPublish }: ContentType): readonly boolean[] =>
  draftAndPublish ? [false, true] : [true];

/** Most documents of one read. */
const MOST = 100;

/** Whether `fields` can name an attribute, so that its value can be a title. */
const hasText = byKind<Attribute, [], boolean>({
  scalar: () => true,
  relation: () => false,
  morph: () => false,
  component: () => false,
  zone: () => false,
});

/** Returns the attribute that is the title of documents: that of the layout, else the first text. */
const titleName = (type: ContentType): string | undefined =>
  type.layout.title ?? type.shown.find(({ def, open }) => def.type === 'string' && !open)?.name;

/** Returns the title of a document. */
export const titleOf = (values: Values | null, type: ContentType): unknown =>
  values?.[titleName(type) ?? ''] ?? null;

/** Caller who looks for documents of a type, outside a transaction or in one. */
export interface Searcher extends Viewer {
  readonly em?: SqlEntityManager | undefined;
}

interface Page {
  readonly published: boolean;
  readonly action: Action;
  readonly page: number;
  readonly pageSize: number;
}

@Injectable()
export class VisibleDocuments {
  constructor(
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Documents) private readonly documents: Documents,
  ) {}

  /**
   * Returns the versions that the caller finds, by document. `states` are those in which it may find
   * documents, whether published, in order: a document is read in the first state that it has.
   */
  async find(
    viewer: Searcher,
    ids: readonly string[],
    states: readonly boolean[],
  ): Promise<ReadonlyMap<string, readonly VisibleVersion[]>> {
    const { maxLimit, limits, locales } = this.settings;
    const rows = Math.floor(maxLimit / (viewer.type.localized ? locales.length : 1));
    const size = Math.max(1, Math.min(rows, limits.arrayLength, MOST));
    const found = new Map<string, VisibleVersion[]>();
    for (const published of states) {
      const missing = ids.filter((id) => !found.has(id));
      for (let start = 0; start < missing.length; start += size)
        for (const one of await this.read(viewer, missing.slice(start, start + size), published))
          found.set(one.documentId, [...(found.get(one.documentId) ?? []), one]);
    }
    return found;
  }

  /** Whether the caller may read a document in some state, and in one locale or some, as a GET of it does. */
  async has({ type, caller }: Viewer, documentId: string, locale = '*'): Promise<boolean> {
    const action = oneOf(type);
    for (const published of statesOf(type)) {
      if (decideRead(caller, type, { action, published }) === 'none') continue;
      const query = {
        filters: { documentId },
        fields: ['documentId'],
        ...(type.localized ? { locale } : {}),
      };
      const data = await this.list({ type, caller }, query, { published, action, page: 1, pageSize: 1 });
      if (data !== '[]') return true;
    }
    return false;
  }

  private async read(
    { type, caller, em }: Searcher,
    ids: readonly string[],
    published: boolean,
  ): Promise<readonly VisibleVersion[]> {
    const isDraft = type.draftAndPublish && !published;
    const query = {
      filters: { documentId: { $in: ids } },
      fields: [
        'documentId',
        ...(type.localized ? ['locale'] : []),
        ...this.titleFields({ type, caller }, published),
      ],
      ...(isDraft ? { withState: 'true' } : {}),
    };
    const pageSize = finiteLimit(this.settings.maxLimit);
    const versions: VisibleVersion[] = [];
    // Versions in locales that are no longer configured can exceed one page.
    let isFull = true;
    for (let page = 1; isFull; page += 1) {
      const part = { published, action: 'find', page, pageSize } as const;
      const data = await this.list({ type, caller, em }, query, part);
      const rows = checkedAs(JSON.parse(data), isFoundList, 'A list of documents');
      for (const row of rows)
        versions.push({
          documentId: row.documentId,
          locale: type.localized ? (row.locale ?? null) : null,
          title: titleOf(row, type),
          status: row.__state?.status ?? 'published',
          isCompared: row.__state !== undefined,
        });
      isFull = type.localized && rows.length === pageSize;
    }
    return versions;
  }

  /** Returns a list in one state, and in all locales unless the query names one, as JSON. */
  private async list(
    { type, caller, em }: Searcher,
    query: Readonly<Record<string, unknown>>,
    { published, action, page, pageSize }: Page,
  ): Promise<string> {
    const whole = {
      ...versionQuery(type, { locale: '*', published }),
      ...(type.localized ? { fallbackLocale: 'false' } : {}),
      ...query,
      pagination: { page, pageSize, withCount: false },
    };
    const request = { kind: 'list', by: null, caller, format: 'flat', action } as const;
    return (await this.documents.read(this.documents.plan(type, whole, request), { em })).data;
  }

  private titleFields({ type, caller }: Viewer, published: boolean): readonly string[] {
    const title = type.attributes.get(titleName(type) ?? '');
    const fields = caller.permissions.fields(type.singularApiId, 'find');
    const rights = rightsOf(caller, { fields, published }, this.settings.limits);
    if (title === undefined || title.hidden || !rights.mayRead(type, title)) return [];
    return hasText(title) ? [title.name] : [];
  }
}
