/**
 * Brings the rows and links of an archive into the order of documents, on disk.
 *
 * Links name rows. So they are sorted by owner to learn its document, then by target to learn that document,
 * then by document.
 */
import { join } from 'node:path';
import { isObject } from '../../kernel/json.js';
import { FILE_UID, ROLE_UID } from './names.js';
import { RowReader } from './read-rows.js';
import {
  type Barred,
  beforeLast,
  BETWEEN,
  type DocumentPart,
  FIRST,
  isExclusive,
  isOwnedLink,
  isOwner,
  isPart,
  isRowLink,
  keyOf,
  type LastNumbers,
  type OwnedLink,
  type Owner,
  SECOND,
  type Sorting,
  type Sorts,
  sortsIn,
  type SourceDocument,
  type SourceLink,
  type SourceRow,
  type Taken,
} from './sorted-parts.js';
import { textOf } from './source-schema.js';
import type { MovedType } from './source-types.js';

const TAKEN_VALUE = 'Values that another document already has, in an attribute that is unique: left empty';
const TAKEN_ROLE = 'Types that another role already has: they become the document id of the role';

const JOINED = 'Rows of a further document of a single type: they become a locale of the first document';
const FURTHER = 'Rows of a further document of a single type, in a locale of another one: they are left out';

export class RowSorter {
  private readonly sorts: Sorts;
  private readonly reader: RowReader;

  constructor(private readonly sorting: Sorting) {
    this.sorts = sortsIn(join(sorting.directory, 'sort'));
    this.reader = new RowReader(sorting, this.sorts);
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
  read(): Promise<LastNumbers> {
    return this.reader.read();
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
    const { documentId, published, row } = owner;
    const scope = (state: boolean, turn: string): string =>
      keyOf(moved.order, field, targetType, target, String(state), owner.locale, turn);
    await this.sorts.exclusives.add(scope(published, FIRST), { key, part, documentId });
    if (!published || !moved.archived.type.draftAndPublish) return;
    // A published row without a draft gets an equal one, unless a real draft has the target.
    const barred: Barred = { what: 'barred', row, field, target };
    await this.sorts.exclusives.add(scope(false, SECOND), { key, part: barred, documentId });
  }

  /** Keeps the first owner of each target of a one-to-one relation. */
  private async dropRivals(): Promise<void> {
    const { remarks } = this.sorting;
    let at = { key: '', documentId: '' };
    for await (const { key: place, value } of this.sorts.exclusives.sorted()) {
      if (!isObject(value) || !isPart(value['part'])) continue;
      const documentId = textOf(value['documentId']);
      const key = beforeLast(place);
      if (at.key !== key) at = { key, documentId };
      const { part } = value;
      const isOwn = at.documentId === documentId;
      if (isOwn !== (part.what === 'barred')) await this.sorts.documents.add(textOf(value['key']), part);
      else if (part.what === 'link')
        remarks.add(
          {
            list: 'none',
            subject: part.ownerType,
            key: part.field,
            text: 'Links to targets that already belong to another document',
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
          text: owner.type === ROLE_UID ? TAKEN_ROLE : TAKEN_VALUE,
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

  /** Returns the rows of a single type: of several documents, one has each locale. */
  private joined(uid: string, documentId: string, all: readonly SourceRow[]): readonly SourceRow[] {
    const isOwn = (row: SourceRow): boolean => row.ownDocument === documentId;
    const documents = new Map<string, string>();
    const rows: SourceRow[] = [];
    for (const row of [...all].sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)))) {
      const chosen = documents.get(row.locale) ?? row.ownDocument;
      documents.set(row.locale, chosen);
      const isKept = chosen === row.ownDocument;
      if (isKept) rows.push(row);
      if (isKept && isOwn(row)) continue;
      const text = isKept ? JOINED : FURTHER;
      this.sorting.remarks.add(
        { list: isKept ? 'changed' : 'none', subject: uid, text },
        `${row.ownDocument} (row ${row.id}, ${row.locale})`,
      );
    }
    return rows;
  }

  private *documentOf(
    key: string,
    parts: readonly DocumentPart[],
    byOrder: ReadonlyMap<string, MovedType>,
  ): Generator<SourceDocument> {
    const [order = '', documentId = ''] = key.split(BETWEEN);
    const moved = byOrder.get(order);
    if (moved === undefined) return;
    const all = parts.filter((part): part is SourceRow => part.what === 'row');
    const rows = moved.archived.type.kind === 'singleType' ? this.joined(moved.uid, documentId, all) : all;
    yield {
      moved,
      documentId,
      rows,
      links: parts.filter((part): part is SourceLink => part.what === 'link'),
      taken: parts.filter((part): part is Taken => part.what === 'taken'),
      barred: parts.filter((part): part is Barred => part.what === 'barred'),
    };
  }
}
