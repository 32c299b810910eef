/** Whether the content in the database is that of the model: at the start in a few statements, or wholly. */
import type { Database } from '../database/database.js';
import { MAKE_TABLES, MIGRATE } from '../database/database-errors.js';
import type { Row } from '../database/runner.js';
import type { StoredValues } from '../plan/stored-instances.js';
import type { ContentType, Model, Schema } from '../schema/model.js';
import type { ContentSettings } from '../settings.js';
import { describeModel, digestOf, type ModelDescription } from './description.js';
import {
  compileHidden,
  compileSample,
  compileVersionsAfter,
  hasComponents,
  type Holder,
  holdersIn,
  MANY,
  unknownIn,
} from './leftovers.js';
import { RefusedValues } from './refused-values.js';
import { compileStoredModel, type StoredModel, storedModelIn } from './stored-model.js';

/** Something in the database that is not as the model has it. */
export interface Finding {
  /**
   * - `error`: content would be lost or shown to the wrong people; production does not start with it.
   * - `note`: the content is of another model.
   * - `value`: a value was written under other rules: it is shown, and refused when it is sent again.
   */
  readonly weight: 'error' | 'note' | 'value';
  readonly text: string;
}

/** What is checked. */
export interface Checked {
  readonly database: Database;
  readonly schema: Schema;
  readonly settings: ContentSettings;
}

/** What a check has found. */
export interface CheckResult {
  /** Why the database cannot be asked; null where it can. */
  readonly away: string | null;
  readonly findings: readonly Finding[];
  /** The sentence that says how to mend the findings. */
  readonly advice: string;
  /** The digest of the model that the content was stored under; null where none is noted. */
  readonly stored: string | null;
}

/** Rows that are read at a time when all are looked at. */
const AT_ONCE = 500;

const typesOf = ({ types }: Schema): ContentType[] => [...types.values()].filter(({ internal }) => !internal);

const counted = (count: number): string => (count >= MANY ? `${MANY} or more` : String(count));

/** Rows of a type that nobody is shown; none where there are none. */
const unseen = (count: number, told: (shown: string) => string): Finding[] =>
  count === 0 ? [] : [{ weight: 'error', text: `${told(counted(count))}, which nobody is shown` }];

/** Rows that no request shows. */
async function hidden({ database, schema, settings }: Checked): Promise<Finding[]> {
  const { defaultLocale } = settings;
  const types = typesOf(schema);
  if (types.length === 0) return [];
  const rows = await database.run(compileHidden(types, defaultLocale));
  return rows.flatMap(({ type, drafts, locales }) => [
    ...unseen(Number(drafts), (count) => `${String(type)} has no drafts, and ${count} are stored`),
    ...unseen(
      Number(locales),
      (count) =>
        `${String(type)} has no locales, and ${count} versions are stored in others than "${defaultLocale}"`,
    ),
  ]);
}

const valuesIn = ({ value }: Row): StoredValues => JSON.parse(String(value)) as StoredValues;

/** Names that components hold and the model does not have. */
function unknown(found: ReadonlySet<string>): Finding[] {
  const names = [...found].sort().join(', ');
  return names === ''
    ? []
    : [{ weight: 'note', text: `Components hold what the model does not have: ${names}` }];
}

/** What the components of the newest documents hold that the model does not have. */
async function newest({ database, schema }: Checked): Promise<Finding[]> {
  const types = typesOf(schema).filter(hasComponents);
  const found = new Set<string>();
  const lost = (at: string): void => void found.add(at);
  for (const row of types.length === 0 ? [] : await database.run(compileSample(types))) {
    const model = schema.types.get(String(row['type']));
    if (model === undefined) continue;
    for (const holder of holdersIn({ model, at: model.singularApiId, values: valuesIn(row) }, lost))
      unknownIn(holder).forEach(lost);
  }
  return unknown(found);
}

/** Every version of a type. */
async function* versionsOf(database: Database, type: ContentType): AsyncGenerator<Row> {
  for (let after = 0; ;) {
    const rows = await database.run(compileVersionsAfter(type, after, AT_ONCE));
    yield* rows;
    if (rows.length < AT_ONCE) return;
    after = Number(rows.at(-1)?.['id']);
  }
}

/** What all documents hold that the model does not have, or does not take. */
async function everything({ database, schema }: Checked): Promise<Finding[]> {
  const found = new Set<string>();
  const refused = new RefusedValues();
  const lost = (at: string): void => void found.add(at);
  for (const type of typesOf(schema))
    for await (const row of versionsOf(database, type)) {
      const root: Holder = { model: type, at: type.singularApiId, values: valuesIn(row) };
      const draft = type.draftAndPublish && row['published'] !== true;
      for (const holder of holdersIn(root, lost)) {
        unknownIn(holder).forEach(lost);
        refused.look(holder, { row: String(row['row']), draft });
      }
    }
  return [...unknown(found), ...refused.told().map((text) => ({ weight: 'value', text }) as const)];
}

type Attributes = ModelDescription['types'][string]['attributes'];

/** Whether a model says what became of an attribute that it does not have. */
const isAccountedFor = (name: string, { removed, attributes }: Model): boolean =>
  removed.includes(name) || [...attributes.values()].some(({ def }) => def.previousName === name);

/** An attribute of the stored model. */
interface StoredAttribute {
  /** The type or component that it belongs to. */
  readonly at: string;
  readonly name: string;
  readonly type: string;
}

/** What would become of an attribute of the stored model; null where it is the same, or the model says it. */
function fate({ at, name, type }: StoredAttribute, model: Model): string | null {
  const attribute = model.attributes.get(name);
  if (attribute === undefined)
    return isAccountedFor(name, model) ? null : `${at}.${name} is stored, and this release does not know it`;
  const isShown = type === 'password' && attribute.def.type !== 'password';
  return isShown ? `${at}.${name} was a password, and would be shown as it is stored` : null;
}

/** What this release would lose or show of the stored models of one kind. */
function lostOf(
  stored: Readonly<Record<string, { readonly attributes: Attributes }>>,
  models: ReadonlyMap<string, Model>,
): string[] {
  const renamed = new Set([...models.values()].map(({ previousName }) => previousName));
  return Object.entries(stored).flatMap(([at, { attributes }]) => {
    const model = models.get(at);
    if (model === undefined)
      return renamed.has(at) ? [] : [`${at} is stored, and this release does not know it`];
    return Object.entries(attributes).flatMap(([name, { type }]) => fate({ at, name, type }, model) ?? []);
  });
}

/** What differs between the model that the content was stored under and this one. */
function otherModel({ schema, settings }: Checked, stored: StoredModel | null): Finding[] {
  if (stored === null || stored.digest === digestOf(describeModel(schema, settings))) return [];
  const { types, components } = stored.description;
  const lost = [...lostOf(types, schema.types), ...lostOf(components, schema.components)];
  const text = 'The content is stored under another model than that of this release';
  return [{ weight: 'note', text }, ...lost.map((one) => ({ weight: 'error' as const, text: one }))];
}

/**
 * Compares the database with the model: tables, columns, the stored model, rows that nobody is shown, names
 * in components. `all` looks at every document, at what its values may be, too, which takes as long as there
 * are many; otherwise it is four statements, of which the last one sees the newest documents only.
 */
export async function checkContent(checked: Checked, all: boolean): Promise<CheckResult> {
  const { away, tables, isNew } = await checked.database.problems();
  if (away !== null || tables.length > 0)
    return {
      away,
      findings: tables.map((text) => ({ weight: isNew ? 'note' : 'error', text }) as const),
      advice: adviceTo(MAKE_TABLES),
      stored: null,
    };
  const [row] = await checked.database.run(compileStoredModel(checked.schema));
  const stored = storedModelIn(row);
  const findings = [
    ...otherModel(checked, stored),
    ...(await hidden(checked)),
    ...(await (all ? everything(checked) : newest(checked))),
  ];
  return { away, findings, advice: adviceTo(MIGRATE), stored: stored?.digest ?? null };
}

const adviceTo = (act: string): string =>
  `To mend it, ${act}; "npx nestjs-content-api check" lists everything`;
