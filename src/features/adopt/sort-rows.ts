/**
 * Brings the rows and links of an archive into the order of documents, on disk.
 *
 * Links name rows. So they are sorted by owner to learn its document, then by target to learn that document,
 * then by document.
 */
import { join } from 'node:path';
import { isObject } from '../../kernel/json.js';
import { documentIdOf } from './document-ids.js';
import { FILE_UID } from './names.js';
import { wholePosition } from './positions.js';
import {
  beforeLast,
  BETWEEN,
  type DocumentPart,
  FIRST,
  INTERNAL,
  isExclusive,
  isOwnedLink,
  isOwner,
  isPart,
  isRowLink,
  keyOf,
  type LastNumbers,
  MAX_ID,
  type OwnedLink,
  type Owner,
  SECOND,
  type Sorts,
  sortsIn,
  type SourceDocument,
  type SourceLink,
  type SourceRow,
  type Taken,
} from './sorted-parts.js';
import { rowLink } from './source-links.js';
import { hasDrafts, objectOf, textOf } from './source-schema.js';
import type { MovedType, SourceTypes } from './source-types.js';
import type { StrapiArchive, StrapiObject } from './strapi-archive.js';
import type { Remarks } from './remark.js';
import { type Survey, totalOf } from './survey.js';

export interface Sorting {
  readonly archive: StrapiArchive;
  readonly survey: Survey;
  readonly types: SourceTypes;
  readonly remarks: Remarks;
  /** Folder of temporary files. */
  readonly directory: string;
  readonly progress: (what: string, count: number, total: number) => void;
  /** Locale of documents without locales in the application. */
  readonly homeLocale: string;
  /** Values that must be unique among published documents, by attribute. */
  readonly uniqueValues: (moved: MovedType, row: SourceRow) => readonly (readonly [string, string])[];
}

export class RowSorter {
  private readonly sorts: Sorts;
  /** Document of the lowest row id of each single type. */
  private readonly singles = new Map<string, { readonly id: number; readonly documentId: string }>();
  private readonly last = { instance: 0, instances: 0, position: 0 };
  private linksRead = 0;
  private rowsRead = 0;

  constructor(private readonly sorting: Sorting) {
    this.sorts = sortsIn(join(sorting.directory, 'sort'));
  }

  /** Yields the documents of the archive, by type and document id. Read it first. */
  async *sorted(): AsyncGenerator<SourceDocument> {
    await this.resolveOwners();
    await this.resolveTargets();
    await this.dropRivals();
    await this.dropTaken();
    yield* this.collected();
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
      documentId: this.documentIdOf(uid, id, row.data),
      type: uid,
      row: id,
      locale: row.locale,
      published: row.published,
    };
    this.single(moved, owner);
    await this.sorts.documents.add(keyOf(moved.order, owner.documentId, FIRST), row);
    await this.sorts.owners.add(keyOf(uid, id, FIRST), owner);
    for (const instance of types.instances(uid, row.data)) {
      const number = Number(instance.id);
      if (number <= MAX_ID) this.last.instance = Math.max(this.last.instance, number);
      this.last.instances += 1;
      await this.sorts.owners.add(keyOf(instance.uid, instance.id, FIRST), owner);
    }
    for (const [attribute, text] of row.published ? this.sorting.uniqueValues(moved, row) : [])
      await this.sorts.uniques.add(keyOf(moved.order, attribute, row.locale, text), { owner, attribute });
  }

  private documentIdOf(uid: string, id: number | string, data: StrapiObject): string {
    return (
      textOf(data['documentId']) || documentIdOf(uid, this.sorting.survey.groups.lowest(uid, Number(id)))
    );
  }

  private rowOf(moved: MovedType, id: number | string, data: StrapiObject): SourceRow {
    const { survey, homeLocale } = this.sorting;
    const given = textOf(data['locale']);
    const drafts = moved.source !== null && hasDrafts(moved.source);
    const published = !drafts || textOf(data['publishedAt']) !== '';
    const wanted = given === '' ? survey.defaultLocale : given;
    const locale = moved.archived.type.localized ? wanted : homeLocale;
    return { what: 'row', id, locale, given, published, data };
  }

  private single(moved: MovedType, { documentId, row }: Owner): void {
    if (moved.archived.type.kind !== 'singleType') return;
    const found = this.singles.get(moved.uid);
    const id = Number(row);
    if (found === undefined || id < found.id) this.singles.set(moved.uid, { id, documentId });
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

  private async resolveOwners(): Promise<void> {
    const { remarks, types } = this.sorting;
    let at = '';
    let owners: Owner[] = [];
    for await (const { key, value } of this.sorts.owners.sorted()) {
      const row = beforeLast(key);
      if (row !== at) [at, owners] = [row, []];
      if (isOwner(value)) {
        owners.push(value);
        if (types.find(row.slice(0, row.indexOf(BETWEEN))) !== undefined)
          await this.sorts.targets.add(key, value);
      } else if (isRowLink(value)) {
        if (owners.length === 0)
          remarks.add(
            {
              list: 'none',
              subject: value.ownerType,
              key: value.field,
              text: 'Links of rows that the archive does not contain',
            },
            String(value.ownerRef),
          );
        const { targetType, targetRef } = value;
        for (const owner of owners)
          await this.sorts.targets.add(keyOf(targetType, targetRef, SECOND), { ...value, owner });
      }
    }
  }

  private async resolveTargets(): Promise<void> {
    let at = '';
    let target: Owner | null = null;
    for await (const { key, value } of this.sorts.targets.sorted()) {
      const row = beforeLast(key);
      if (row !== at) [at, target] = [row, null];
      if (isOwnedLink(value)) {
        if (target === null) this.sayLost(value);
        else await this.resolved(value, target.documentId);
      } else if (isOwner(value)) target = value;
    }
  }

  private sayLost({ ownerType, field, targetType, owner }: OwnedLink): void {
    const { remarks, types } = this.sorting;
    const isKnown = types.find(targetType) !== undefined;
    if (!isKnown && field !== '' && ownerType === FILE_UID) return;
    const text = isKnown
      ? `Links to rows of ${targetType} that the archive does not contain`
      : `Links to ${targetType}, which is not moved`;
    remarks.add({ list: 'none', subject: ownerType, key: field, text }, String(owner.row));
  }

  private async resolved(link: OwnedLink, target: string): Promise<void> {
    const { owner, ownerType, ownerRef, field, targetType, position, inverse, n } = link;
    const { types } = this.sorting;
    const moved = types.find(owner.type);
    if (moved === undefined) return;
    const part: SourceLink = {
      what: 'link',
      ...{ row: owner.row, ownerType, ownerRef, field, targetType, target, position, inverse, n },
    };
    const attribute = types.attribute(ownerType, field);
    const key = keyOf(moved.order, owner.documentId, SECOND);
    const type = types.typeOf(targetType)?.singularApiId ?? '';
    if (ownerType !== owner.type || attribute?.linked !== true || !isExclusive(attribute, type))
      return this.sorts.documents.add(key, part);
    const scope = keyOf(moved.order, field, targetType, target, String(owner.published), owner.locale);
    await this.sorts.exclusives.add(scope, { key, part, documentId: owner.documentId });
  }

  /** Keeps the first owner of each target of a one-to-one relation. */
  private async dropRivals(): Promise<void> {
    const { remarks } = this.sorting;
    let at = { key: '', documentId: '' };
    for await (const { key, value } of this.sorts.exclusives.sorted()) {
      if (!isObject(value) || !isPart(value['part'])) continue;
      const documentId = textOf(value['documentId']);
      if (at.key !== key) at = { key, documentId };
      const { part } = value;
      if (at.documentId === documentId) await this.sorts.documents.add(textOf(value['key']), part);
      else if (part.what === 'link')
        remarks.add(
          {
            list: 'none',
            subject: part.ownerType,
            key: part.field,
            text: 'Links to targets that belong to another document already',
          },
          String(part.row),
        );
    }
  }

  /** Keeps the first owner of each unique value. */
  private async dropTaken(): Promise<void> {
    const { remarks, types } = this.sorting;
    let first = { key: '', documentId: '' };
    for await (const { key, value } of this.sorts.uniques.sorted()) {
      if (!isObject(value) || !isOwner(value['owner'])) continue;
      const { owner } = value;
      const attribute = textOf(value['attribute']);
      if (first.key !== key) first = { key, documentId: owner.documentId };
      if (first.documentId === owner.documentId) continue;
      const order = types.find(owner.type)?.order ?? '';
      remarks.add(
        {
          list: 'none',
          subject: owner.type,
          key: attribute,
          text: 'Values that another document has already, in an attribute that is unique: left empty',
        },
        String(owner.row),
      );
      const taken: Taken = { what: 'taken', row: owner.row, attribute };
      await this.sorts.documents.add(keyOf(order, owner.documentId, SECOND), taken);
    }
  }

  private async *collected(): AsyncGenerator<SourceDocument> {
    const byOrder = new Map(this.sorting.types.all.map((moved) => [moved.order, moved]));
    let at = '';
    let parts: DocumentPart[] = [];
    for await (const { key, value } of this.sorts.documents.sorted()) {
      const document = beforeLast(key);
      if (document !== at) {
        yield* this.documentOf(at, parts, byOrder);
        [at, parts] = [document, []];
      }
      if (isPart(value)) parts.push(value);
    }
    yield* this.documentOf(at, parts, byOrder);
  }

  private *documentOf(
    key: string,
    parts: readonly DocumentPart[],
    byOrder: ReadonlyMap<string, MovedType>,
  ): Generator<SourceDocument> {
    const [order = '', documentId = ''] = key.split(BETWEEN);
    const moved = byOrder.get(order);
    if (moved === undefined) return;
    const rows = parts.filter((part): part is SourceRow => part.what === 'row');
    const only = this.singles.get(moved.uid)?.documentId;
    if (only !== undefined && only !== documentId) {
      for (const { id } of rows)
        this.sorting.remarks.add(
          { list: 'none', subject: moved.uid, text: 'Rows of a further document of a single type' },
          String(id),
        );
      return;
    }
    yield {
      moved,
      documentId,
      rows,
      links: parts.filter((part): part is SourceLink => part.what === 'link'),
      taken: parts.filter((part): part is Taken => part.what === 'taken'),
    };
  }
}
