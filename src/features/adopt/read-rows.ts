/** Reads the rows and links of an archive into the sorts. */
import { documentIdOf, isDocumentId } from './document-ids.js';
import { isKeptId, SeenIds } from './kept-ids.js';
import { ROLE_UID } from './names.js';
import { wholePosition } from './positions.js';
import {
  FIRST,
  INTERNAL,
  keyOf,
  type LastNumbers,
  type Owner,
  SECOND,
  type Sorting,
  type Sorts,
  type SourceRow,
} from './sorted-parts.js';
import { rowLink } from './source-links.js';
import { hasDrafts, objectOf, textOf } from './source-schema.js';
import type { MovedType } from './source-types.js';
import type { StrapiObject } from './strapi-archive.js';
import { totalOf } from './survey.js';

export class RowReader {
  /** Document ids of single types. */
  private readonly singles = new Map<string, string>();
  private readonly last = { instance: 0, instances: 0, position: 0 };
  private readonly seen = new Map<string, SeenIds>();
  /** Stored roles that no role of the archive has become. */
  private readonly storedRoles: Map<string, string>;
  private linksRead = 0;
  private rowsRead = 0;

  constructor(
    private readonly sorting: Sorting,
    private readonly sorts: Sorts,
  ) {
    this.storedRoles = new Map(sorting.storedRoles);
  }

  /** Reads the archive. Returns the highest numbers in it. */
  async read(): Promise<LastNumbers> {
    for await (const item of this.sorting.archive.items()) {
      if (item.part === 'entities') await this.row(item.value);
      else if (item.part === 'links') await this.link(item.value);
    }
    return this.last;
  }

  private async row(value: StrapiObject): Promise<void> {
    const { types, remarks, survey, progress } = this.sorting;
    const uid = textOf(value['type']);
    const id = typeof value['id'] === 'number' ? value['id'] : textOf(value['id']);
    this.rowsRead += 1;
    progress('rows', this.rowsRead, totalOf(survey.rows));
    const moved = types.find(uid);
    if (moved === undefined) {
      if (!INTERNAL.test(uid))
        remarks.add(
          { list: 'none', subject: uid, text: 'Rows of a type that the model does not have' },
          String(id),
        );
      return;
    }
    const row = this.rowOf(moved, id, objectOf(value['data']));
    const owner: Owner = {
      documentId: this.singleDocument(moved) ?? this.storedRole(moved, row) ?? row.ownDocument,
      type: uid,
      row: id,
      locale: row.locale,
      published: row.published,
    };
    await this.sorts.documents.add(keyOf(moved.order, owner.documentId, FIRST), row);
    await this.sorts.owners.add(keyOf(uid, id, FIRST), owner);
    if (survey.rest) await this.sorts.targets.add(keyOf(uid, row.ownDocument, FIRST), owner);
    for (const instance of types.instances(uid, row.data)) {
      if (isKeptId(instance.id)) this.last.instance = Math.max(this.last.instance, instance.id);
      this.last.instances += 1;
      await this.sorts.owners.add(keyOf(instance.uid, instance.id, FIRST), owner);
    }
    for (const [attribute, text] of row.published ? this.sorting.uniqueValues(moved, row) : [])
      // As JSON, values that differ only in a tab or a line break have different keys.
      await this.sorts.uniques.add(keyOf(moved.order, attribute, row.locale, JSON.stringify(text)), {
        owner,
        attribute,
      });
  }

  private documentIdOf(uid: string, id: number | string, documentId: unknown): string {
    const given = textOf(documentId);
    if (given === '') return documentIdOf(uid, this.sorting.survey.groups.lowest(uid, Number(id)));
    if (isDocumentId(given)) return given;
    const text = 'Document ids with other characters than letters, digits and "-_.~": they get another one';
    this.sorting.remarks.add({ list: 'changed', subject: uid, key: 'documentId', text }, String(id));
    return documentIdOf(uid, given);
  }

  private rowOf(moved: MovedType, id: number | string, data: StrapiObject): SourceRow {
    const { survey, homeLocale } = this.sorting;
    const given = textOf(data['locale']);
    const drafts = moved.source !== null && hasDrafts(moved.source);
    const published = !drafts || textOf(data['publishedAt']) !== '';
    const wanted = given === '' ? survey.defaultLocale : given;
    const locale = moved.archived.type.localized ? wanted : homeLocale;
    const ownDocument = this.documentIdOf(moved.uid, id, data['documentId']);
    const repeated = this.isRepeated(moved.uid, id);
    return { what: 'row', id, ownDocument, locale, given, published, data, repeated };
  }

  private isRepeated(uid: string, id: number | string): boolean {
    const seen = this.seen.get(uid) ?? new SeenIds();
    this.seen.set(uid, seen);
    return isKeptId(id) && seen.add(id);
  }

  /** Returns the one document of a single type: that of its lowest row id. Undefined for other types. */
  private singleDocument({ uid, archived }: MovedType): string | undefined {
    const first = this.sorting.survey.firstRows.get(uid);
    if (archived.type.kind !== 'singleType' || first === undefined) return undefined;
    const found = this.singles.get(uid) ?? this.documentIdOf(uid, first.id, first.documentId);
    this.singles.set(uid, found);
    return found;
  }

  /** Returns the document of the stored role that has the type of a role. */
  private storedRole({ uid }: MovedType, { data }: SourceRow): string | undefined {
    if (uid !== ROLE_UID) return undefined;
    const type = textOf(data['type']);
    const found = this.storedRoles.get(type);
    this.storedRoles.delete(type);
    return found;
  }

  private async link(value: StrapiObject): Promise<void> {
    const { types, remarks, survey, progress } = this.sorting;
    this.linksRead += 1;
    progress('links', this.linksRead, survey.links);
    const link = rowLink(value, types, this.linksRead);
    if (link === null) return;
    const position = link.inverse === null ? link.n : wholePosition(link.inverse);
    this.last.position = Math.max(this.last.position, position);
    if (types.model(link.ownerType) === undefined) {
      if (!INTERNAL.test(link.ownerType))
        remarks.add(
          {
            list: 'none',
            subject: link.ownerType,
            key: link.field,
            text: 'Links of a type or component that the model does not have',
          },
          String(link.ownerRef),
        );
      return;
    }
    await this.sorts.owners.add(keyOf(link.ownerType, link.ownerRef, SECOND), link);
  }
}
