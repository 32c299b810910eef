/** Uids made from another attribute where the model says so, and made unique (protocol 14.17). */
import slugify from '@sindresorhus/slugify';
import { compileLocks } from '../compile/compile-locks.js';
import { compileTakenUids } from '../compile/compile-taken.js';
import type { Runner } from '../database/runner.js';
import { isGiven } from '../plan/given.js';
import type { WriteValues } from '../plan/plan-values.js';
import type { ContentType, ScalarAttribute } from '../schema/model.js';
import type { Loaded } from '../plan/loaded.js';
import type { BodyWrite, CheckedValues } from '../plan/plan-write.js';

/** What the values of a write are looked for with. */
export interface HeldRequest extends BodyWrite {
  readonly loaded: Loaded;
  readonly checked: CheckedValues;
  /** Whether the values of unique columns are looked up, although their indexes decide. */
  readonly looks: boolean;
}

/** Room for a number behind the longest slug. */
const NUMBER = 7;
const LONGEST = 240;

/** How long a slug may be, so that the attribute still holds it with a number. */
const longestOf = ({ def: { maxLength = LONGEST + NUMBER } }: ScalarAttribute): number =>
  Math.max(1, Math.min(LONGEST, maxLength - NUMBER));

function baseOf(type: ContentType, attribute: ScalarAttribute, values: WriteValues['values']): string {
  const target = type.attributes.get(attribute.def.targetField ?? '');
  const text = values.get(target as ScalarAttribute);
  const slug = typeof text === 'string' || typeof text === 'number' ? slugify(String(text)) : '';
  return (slug === '' ? slugify(type.singularApiId) : slug).slice(0, longestOf(attribute));
}

/** The first of `base`, `base-1`, `base-2`, … that nobody has. */
function firstFree(base: string, taken: ReadonlySet<unknown>): string {
  if (!taken.has(base)) return base;
  let n = 1;
  while (taken.has(`${base}-${n}`)) n += 1;
  return `${base}-${n}`;
}

/** What a new version leaves out: all of it in a new document, in a new locale only what is localized. */
function missingUids({ target, body, loaded }: HeldRequest): ScalarAttribute[] {
  const { versions, stored } = loaded;
  if (versions.own !== undefined) return [];
  return target.type.storage.generatedUids.filter(
    (attribute) => !isGiven(body.values, attribute.name) && (stored === null || attribute.localized),
  );
}

/** A uid that is to be made. */
interface WantedUid {
  readonly attribute: ScalarAttribute;
  readonly base: string;
}

/** Uids that can be made at once: what they are made from is not itself still to be made. */
const ready = (missing: readonly ScalarAttribute[]): readonly ScalarAttribute[] => {
  const names = new Set<string>(missing.map(({ name }) => name));
  const free = missing.filter(({ def }) => !names.has(def.targetField ?? ''));
  return free.length === 0 ? missing : free;
};

/**
 * Fills in what a new version leaves out: one flight for all attributes that are generated, none where there
 * are none.
 */
export async function withGeneratedUids(runner: Runner, request: HeldRequest): Promise<WriteValues> {
  const { type, locale } = request.target;
  const { writeValues } = request.checked;
  let missing = missingUids(request);
  if (missing.length === 0) return writeValues;
  const values = new Map(writeValues.values);
  while (missing.length > 0) {
    const wanted = ready(missing).map((attribute): WantedUid => ({
      attribute,
      base: baseOf(type, attribute, values),
    }));
    const names = wanted.map(({ attribute, base }) => `${type.table}.${attribute.name}:${locale}:${base}`);
    // Whoever makes a uid from the same text waits here, and then sees the one that was taken.
    const [, ...taken] = await runner.all([
      compileLocks(names.map((name) => ({ name, exclusive: true }))),
      ...wanted.map(({ attribute, base }) => compileTakenUids(type, { attribute, base, locale })),
    ]);
    for (const [i, { attribute, base }] of wanted.entries())
      values.set(attribute, firstFree(base, new Set(taken[i]?.map((row) => row['uid']))));
    missing = missing.filter((attribute) => !wanted.some((one) => one.attribute === attribute));
  }
  return { ...writeValues, values };
}
