/** Links of an archive: from a row or instance that owns an attribute to a row. */
import { FILE_UID } from './names.js';
import { isOfFiles, type SourceTypes } from './source-types.js';
import { objectOf, textOf } from './source-schema.js';
import type { StrapiObject } from './strapi-archive.js';

type Ref = number | string;

/** Link between rows, with the owning side first. */
export interface RowLink {
  readonly ownerType: string;
  readonly ownerRef: Ref;
  readonly field: string;
  readonly targetType: string;
  readonly targetRef: Ref;
  /** Position of the target in the list of the owner; null if the archive has none. */
  readonly position: number | null;
  /** Position of the owner in the list of the target. */
  readonly inverse: number | null;
  /** Number of the link in the archive. */
  readonly n: number;
}

/** Relations of every row, which are not content here. */
const OF_EVERY_ROW: readonly string[] = [
  'localizations',
  'createdBy',
  'updatedBy',
  'strapi_stage',
  'strapi_assignee',
];

const refOf = (value: unknown): Ref => (typeof value === 'number' ? value : textOf(value));
const positionOf = (value: unknown): number | null => {
  const position = value === null || value === undefined || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(position) ? position : null;
};

const isMorph = (kind: unknown): boolean => kind === 'relation.morph';

/** Returns a link with its owning side first; null if it belongs to no relation of the content. */
export function rowLink(value: StrapiObject, types: SourceTypes, n: number): RowLink | null {
  const left = objectOf(value['left']);
  const right = objectOf(value['right']);
  const field = textOf(left['field']);
  if (OF_EVERY_ROW.includes(field)) return null;
  const [leftType, rightType] = [textOf(left['type']), textOf(right['type'])];
  const forward: RowLink = {
    ownerType: leftType,
    ownerRef: refOf(left['ref']),
    field,
    targetType: rightType,
    targetRef: refOf(right['ref']),
    position: positionOf(isMorph(value['kind']) ? right['pos'] : left['pos']),
    inverse: isMorph(value['kind']) ? null : positionOf(right['pos']),
    n,
  };
  const backward = (name: string): RowLink => ({
    ownerType: rightType,
    ownerRef: forward.targetRef,
    field: name,
    targetType: leftType,
    targetRef: forward.ownerRef,
    position: positionOf(right['pos']),
    inverse: isMorph(value['kind']) ? null : positionOf(left['pos']),
    n,
  });
  if (leftType === FILE_UID) {
    const shown = field === 'related' ? textOf(right['field']) : types.filesOf(rightType, field);
    if (field === 'related' || shown !== '') return backward(shown);
  }
  const attribute = types.source(leftType)?.attributes[field];
  const owner = isOfFiles(attribute) ? '' : textOf(attribute?.['mappedBy']);
  return owner === '' ? forward : backward(owner);
}
