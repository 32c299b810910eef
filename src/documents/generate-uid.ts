/** Uids made from another attribute where the model says so, and made unique (protocol 14.17). */
import slugify from '@sindresorhus/slugify';
import { compileQueue, compileTakenUids } from '../compile/compile-load.js';
import type { Runner } from '../database/runner.js';
import type { Settled } from '../plan/settle.js';
import type { ContentType, ScalarAttribute } from '../schema/model.js';
import type { Loaded, WriteRequest } from './load.js';

/** Room for a number behind the longest slug. */
const NUMBER = 7;
const LONGEST = 240;

/** How long a slug may be, so that the attribute still holds it with a number. */
const longestOf = ({ def: { maxLength = LONGEST + NUMBER } }: ScalarAttribute): number =>
  Math.max(1, Math.min(LONGEST, maxLength - NUMBER));

const isGenerated = (
  attribute: unknown,
): attribute is ScalarAttribute & { readonly def: { readonly targetField: string } } => {
  const { kind, def } = attribute as ScalarAttribute;
  return kind === 'scalar' && def.generate === true;
};

/** The generated uid attributes of a type; their unique indexes decide between concurrent writers. */
const generatedUids = (type: ContentType): ScalarAttribute[] =>
  [...type.attributes.values()].filter(isGenerated);

function baseOf(type: ContentType, attribute: ScalarAttribute, values: Settled['values']): string {
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
function missingUids({ type, body }: WriteRequest, { versions, stored }: Loaded): ScalarAttribute[] {
  if (versions.own !== undefined) return [];
  return generatedUids(type).filter(
    (attribute) => !body.values.has(attribute.name) && (stored === null || attribute.localized),
  );
}

/**
 * Fills in what a new version leaves out. Two statements for each attribute that is generated, none
 * otherwise.
 */
export async function withGeneratedUids(
  runner: Runner,
  request: WriteRequest,
  result: Settled,
  loaded: Loaded,
): Promise<Settled> {
  const { type, locale } = request;
  const missing = missingUids(request, loaded);
  if (missing.length === 0) return result;
  const values = new Map(result.values);
  for (const attribute of missing) {
    const base = baseOf(type, attribute, values);
    // Whoever makes a uid from the same text waits here, and then sees the one that was taken.
    await runner.run(
      compileQueue([{ name: `${type.table}.${attribute.name}:${locale}:${base}`, exclusive: true }]),
    );
    const rows = await runner.run(compileTakenUids(type, attribute, base, locale));
    values.set(attribute, firstFree(base, new Set(rows.map((row) => row['uid']))));
  }
  return { ...result, values };
}
