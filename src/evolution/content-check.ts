/** Whether the content in the database is that of the model: at the start in a few statements, or wholly. */
import type { Database } from '../database/database.js';
import { MIGRATE } from '../database/database-errors.js';
import type { Row } from '../database/runner.js';
import type { StoredValues } from '../plan/stored-instances.js';
import type { ContentType, Model, Schema } from '../schema/model.js';
import type { ContentSettings } from '../settings.js';
import { describeModel, digestOf, type ModelDescription } from './description.js';
import {
  compileHidden,
  compileInstancesAfter,
  compileSample,
  hasComponents,
  MANY,
  noteUnknown,
} from './leftovers.js';
import { compileStoredModel } from './stored-model.js';

/** Something in the database that is not as the model has it. */
export interface Finding {
  /** Whether content would be lost or shown to the wrong people: production does not start with it. */
  readonly stops: boolean;
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
  /** The digest of the model that the content was stored under; null where none is noted. */
  readonly stored: string | null;
}

/** Rows that are read at a time when all are looked at. */
const AT_ONCE = 500;

const typesOf = ({ types }: Schema): ContentType[] => [...types.values()].filter(({ internal }) => !internal);

const counted = (count: number): string => (count >= MANY ? `${MANY} or more` : String(count));

/** Rows that no request shows. */
async function hidden({ database, schema, settings }: Checked): Promise<Finding[]> {
  const { defaultLocale } = settings;
  const types = typesOf(schema);
  if (types.length === 0) return [];
  const rows = await database.run(compileHidden(types, defaultLocale));
  return rows.flatMap(({ type, drafts, locales }): Finding[] => [
    ...(Number(drafts) > 0
      ? [
          {
            stops: true,
            text: `${String(type)} has no drafts, and ${counted(Number(drafts))} are stored, which nobody is shown`,
          },
        ]
      : []),
    ...(Number(locales) > 0
      ? [
          {
            stops: true,
            text: `${String(type)} has no locales, and ${counted(Number(locales))} versions are stored in others than "${defaultLocale}", which nobody is shown`,
          },
        ]
      : []),
  ]);
}

function noteRows(schema: Schema, rows: readonly Row[], found: Set<string>): void {
  for (const { type, value } of rows) {
    const model = schema.types.get(String(type));
    const values = JSON.parse(String(value)) as StoredValues;
    if (model !== undefined) noteUnknown(model, { at: model.singularApiId, values }, found);
  }
}

/** What components hold that the model does not have: in the newest documents, or in all. */
async function unknown({ database, schema }: Checked, all: boolean): Promise<Finding[]> {
  const types = typesOf(schema).filter(hasComponents);
  const found = new Set<string>();
  if (!all && types.length > 0) noteRows(schema, await database.run(compileSample(types)), found);
  for (const type of all ? types : [])
    for (let after = 0; ;) {
      const rows = await database.run(compileInstancesAfter(type, after, AT_ONCE));
      noteRows(schema, rows, found);
      if (rows.length < AT_ONCE) break;
      after = Number(rows.at(-1)?.['id']);
    }
  if (found.size === 0) return [];
  const names = [...found].sort().join(', ');
  return [{ stops: false, text: `Components hold what the model does not have: ${names}` }];
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
function otherModel({ schema, settings }: Checked, row: Row | undefined): Finding[] {
  if (row === undefined) return [];
  const own = describeModel(schema, settings);
  if (row['digest'] === digestOf(own)) return [];
  const { types, components } = row['description'] as ModelDescription;
  const lost = [...lostOf(types, schema.types), ...lostOf(components, schema.components)];
  const text = 'The content is stored under another model than that of this release';
  return [{ stops: false, text }, ...lost.map((one) => ({ stops: true, text: one }))];
}

/**
 * Compares the database with the model: tables, columns, the stored model, rows that nobody is shown, names
 * in components. `all` looks at every document, which takes as long as there are many; otherwise it is four
 * statements, of which the last one sees the newest documents only.
 */
export async function checkContent(checked: Checked, all: boolean): Promise<CheckResult> {
  const { away, tables, isNew } = await checked.database.problems();
  if (away !== null || tables.length > 0)
    return { away, findings: tables.map((text) => ({ stops: !isNew, text })), stored: null };
  const [row] = await checked.database.run(compileStoredModel(checked.schema));
  const findings = [
    ...otherModel(checked, row),
    ...(await hidden(checked)),
    ...(await unknown(checked, all)),
  ];
  return { away, findings, stored: row === undefined ? null : String(row['digest']) };
}

/** What to do about what was found. */
export const ADVICE = `To mend it, ${MIGRATE}; "npx nestjs-content-api check" lists everything`;
