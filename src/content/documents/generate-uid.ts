/**
 * Uid attributes generated from another attribute, as the model defines, and made unique (protocol 14.17).
 */
import slugify from '@sindresorhus/slugify';
import { compileLocks } from '../../pool/locks.js';
import { compileTakenUids, type UidBase, type Within } from '../compile/compile-taken.js';
import type { Row, Runner } from '../../pool/runner.js';
import { isGiven } from '../plan/given.js';
import type { WriteValues } from '../plan/plan-values.js';
import type { ScalarAttribute } from '../model/model.js';
import { uniqueWith } from '../model/attribute-storage.js';
import { isScalar } from '../model/scalar-of.js';
import type { LoadedState } from '../plan/loaded.js';
import type { BodyWrite, CheckedValues } from '../plan/plan-write.js';
import type { ValueLocks } from './value-locks.js';

export interface HeldRequest extends BodyWrite {
  readonly loaded: LoadedState;
  readonly checked: CheckedValues;
  readonly checksTaken: boolean;
  readonly valueLocks: ValueLocks;
  /** Values that writes of the same transaction have reserved; null unless they run together. */
  readonly claims: Claims | null;
}

/** Names of reserved values, with the id of the document that has each, or the body of a new document. */
export type Claims = Map<string, unknown>;

/** Two writes that run together have the same unique value: one must see what the other has written. */
export class SameValue extends Error {}

/** Reserves values for a document among the writes that run together. */
export function claim({ claims, loaded, body }: HeldRequest, names: readonly string[]): void {
  const owner = loaded.versions.documentId ?? body;
  for (const name of names) {
    if ((claims?.get(name) ?? owner) !== owner) throw new SameValue();
    claims?.set(name, owner);
  }
}

/** Characters reserved for a number after the longest slug. */
const NUMBER = 7;
const LONGEST = 240;

/** Longest slug that leaves room for a number within `maxLength`. */
const longestOf = ({ def: { maxLength = LONGEST + NUMBER } }: ScalarAttribute): number =>
  Math.max(1, Math.min(LONGEST, maxLength - NUMBER));

function baseOf(
  attribute: ScalarAttribute,
  values: WriteValues['values'],
  { target: { type }, loaded }: HeldRequest,
): string {
  const target = type.attributes.get(attribute.def.targetField ?? '');
  const given = target !== undefined && isScalar(target) ? values.get(target) : undefined;
  // A new locale takes values that all locales share from the stored document.
  const text = given === undefined && target?.localized === false ? loaded.stored?.[target.name] : given;
  const slug = typeof text === 'string' || typeof text === 'number' ? slugify(String(text)) : '';
  return (slug === '' ? slugify(type.singularApiId) : slug).slice(0, longestOf(attribute));
}

/** Number of candidates in the first statement; each further one has twice as many. */
const CANDIDATES = 32;

/** Returns a block of candidates: the base and its first numbers, then the following ones. */
function candidatesOf(base: string, block: number): string[] {
  const first = CANDIDATES * (2 ** block - 1);
  return Array.from({ length: CANDIDATES * 2 ** block }, (_, i) =>
    first + i === 0 ? base : `${base}-${first + i}`,
  );
}

/** Returns the first candidate that is free. `rows` are the taken ones of the first block. */
async function freeUid(
  find: (candidates: readonly string[]) => Promise<readonly Row[]>,
  base: string,
  rows: readonly Row[],
): Promise<string> {
  for (let block = 0, taken = rows; ; block += 1) {
    if (block > 0) taken = await find(candidatesOf(base, block));
    const uids = new Set(taken.map(({ uid }) => uid));
    const free = candidatesOf(base, block).find((one) => !uids.has(one));
    if (free !== undefined) return free;
  }
}

function missingUids({ target, body, loaded }: HeldRequest): ScalarAttribute[] {
  const { versions, stored } = loaded;
  if (versions.own !== undefined) return [];
  return target.type.storage.generatedUids.filter(
    (attribute) => !isGiven(body.values, attribute.name) && (stored === null || attribute.localized),
  );
}

/** Returns the columns of attributes within which a value is unique, with the values of the write. */
export function withinOf(
  { target: { type }, checked }: HeldRequest,
  names: readonly string[],
): Within['columns'] {
  const { values, lists } = checked.writeValues;
  return names.flatMap((one) => {
    const column = type.storage.columnOf.get(one);
    if (column === undefined) return [];
    const { attribute } = column;
    const targets = attribute.linked ? lists.get(attribute) : undefined;
    const given = attribute.linked ? undefined : values.get(attribute);
    const value = targets === undefined ? given : (targets[0] ?? null);
    return [{ column, value: value === undefined && attribute.localized ? null : value }];
  });
}

const ready = (missing: readonly ScalarAttribute[]): readonly ScalarAttribute[] => {
  const names = new Set<string>(missing.map(({ name }) => name));
  const free = missing.filter(({ def }) => !names.has(def.targetField ?? ''));
  return free.length === 0 ? missing : free;
};

/** Locale in which a uid is unique; null if locales share it. */
const localeOf = (
  { target: { type, locale } }: HeldRequest,
  { localized }: ScalarAttribute,
): string | null => (type.localized && !localized ? null : locale);

const nameOf = (request: HeldRequest, attribute: ScalarAttribute, uid: unknown): string =>
  `${request.target.type.table}.${attribute.name}:${localeOf(request, attribute) ?? '*'}:${String(uid)}`;

/** Generates the uids that a new version omits, and reserves those that it has. */
export async function withGeneratedUids(runner: Runner, request: HeldRequest): Promise<WriteValues> {
  const writeValues = await withMissingUids(runner, request);
  const named = request.target.type.storage.generatedUids.flatMap((attribute) => {
    const uid = writeValues.values.get(attribute) ?? null;
    return uid === null ? [] : [nameOf(request, attribute, uid)];
  });
  claim(request, named);
  return writeValues;
}

/** Generates uids: one round trip for all attributes, and more only if many candidates are taken. */
async function withMissingUids(runner: Runner, request: HeldRequest): Promise<WriteValues> {
  const { type } = request.target;
  const { documentId } = request.loaded.versions;
  const { writeValues } = request.checked;
  let missing = missingUids(request);
  if (missing.length === 0) return writeValues;
  const values = new Map(writeValues.values);
  while (missing.length > 0) {
    const wanted = ready(missing).map((attribute): UidBase => ({
      attribute,
      base: baseOf(attribute, values, request),
      locale: localeOf(request, attribute),
      documentId,
      columns: withinOf(request, uniqueWith(type, attribute.name) ?? []),
    }));
    const names = wanted.map(({ attribute, base }) => nameOf(request, attribute, base));
    claim(request, names);
    // Concurrent writes with the same slug wait for the lock, and then see the uid that was assigned.
    const [, ...taken] = await runner.all([
      compileLocks(names.map((name) => ({ name, exclusive: true }))),
      ...wanted.map((one) => compileTakenUids(type, one, candidatesOf(one.base, 0))),
    ]);
    for (const [i, one] of wanted.entries()) {
      const find = (candidates: readonly string[]) => runner.run(compileTakenUids(type, one, candidates));
      values.set(one.attribute, await freeUid(find, one.base, taken[i] ?? []));
    }
    missing = missing.filter((attribute) => !wanted.some((one) => one.attribute === attribute));
  }
  return { ...writeValues, values };
}
