import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../content/access/caller.js';
import { Documents } from '../../content/documents/documents.service.js';
import type { ContentType } from '../../content/model/model.js';
import { typeUid } from '../../content/model/naming.js';
import { oneOf, rightsOf } from '../../content/plan/rights.js';
import type { Viewer } from '../../content/plan/version-rights.js';
import { writeRightsOf } from '../../content/plan/write-rights.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import type { VersionsOf } from './compile-versions.js';
import { contentOf, type Shape, type StoredLink } from './stored-content.js';
import { contentIn, titleOf, type VersionRow } from './version-row.js';

export const keyOf = ({ type, documentId }: VersionsOf): string => `${typeUid(type)} ${documentId}`;

/** Form of a link in a body. */
export const referenceTo = ({ type, documentId, named }: StoredLink): unknown =>
  named ? { __type: typeUid(type), documentId } : documentId;

/** Contents of stored versions, with the rights that a caller has now. */
@Injectable()
export class VisibleContents {
  constructor(
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Documents) private readonly documents: Documents,
  ) {}

  /** Returns what the caller may see of a content. */
  of(
    row: VersionRow,
    { type, caller }: Viewer,
    shape: Pick<Shape, 'link' | 'without'>,
  ): Record<string, unknown> | null {
    const content = contentIn(row);
    if (content === null) return null;
    const fields = caller.permissions.fields(type.singularApiId, oneOf(type));
    const rights = rightsOf(caller, { fields, published: row.published }, this.settings.limits);
    return contentOf(content, type, { rights, ...shape });
  }

  /** Returns the linked documents that the caller finds now, with their titles. */
  async targetsOf(row: VersionRow, subject: Viewer): Promise<ReadonlyMap<string, unknown>> {
    const links = new Map<ContentType, Set<string>>();
    this.of(row, subject, {
      link: ({ type, documentId }) => {
        links.set(type, (links.get(type) ?? new Set()).add(documentId));
        return null;
      },
    });
    const found = new Map<string, unknown>();
    for (const [type, ids] of links)
      for (const [documentId, title] of await this.found(type, [...ids], {
        caller: subject.caller,
        published: row.published,
      }))
        found.set(keyOf({ type, documentId }), title);
    return found;
  }

  /** Returns the titles of the documents that the caller finds now. */
  private async found(
    type: ContentType,
    ids: readonly string[],
    { caller, published }: { readonly caller: Caller; readonly published: boolean },
  ): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>();
    const state = type.draftAndPublish ? { status: published ? 'published' : 'draft' } : {};
    const size = Math.min(this.settings.maxLimit, this.settings.limits.arrayLength, 100);
    for (let start = 0; start < ids.length; start += size) {
      const query = {
        filters: { documentId: { $in: ids.slice(start, start + size) } },
        ...state,
        ...(type.localized ? { locale: '*' } : {}),
        pagination: { page: 1, pageSize: this.settings.maxLimit, withCount: false },
      };
      const request = { kind: 'list', by: null, caller, format: 'flat', action: 'find' } as const;
      const { data } = await this.documents.read(this.documents.plan(type, query, request));
      for (const one of JSON.parse(data) as Record<string, unknown>[])
        found.set(String(one['documentId']), titleOf(one, type));
    }
    return found;
  }

  /**
   * Returns the body that writes the content of a version. It lacks links to documents that are gone, and
   * attributes that the caller may not write.
   */
  async dataOf(row: VersionRow, subject: Viewer, action: 'create' | 'update'): Promise<object> {
    const { type, caller } = subject;
    const found = await this.targetsOf(row, subject);
    const { mayWrite } = writeRightsOf(caller, { type, action, published: row.published });
    return (
      this.of(row, subject, {
        link: (link) => (found.has(keyOf(link)) ? referenceTo(link) : null),
        without: (attribute) => !attribute.writable || !mayWrite(attribute),
      }) ?? {}
    );
  }
}
