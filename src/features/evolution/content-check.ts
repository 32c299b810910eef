/** Checks that the stored content conforms to the model: quickly at start, or completely. */
import type { StoredAtStart } from '../../content/documents/model-watch.js';
import type { Database } from '../../content/store/database.js';
import { MAKE_TABLES, MIGRATE } from '../../kernel/postgres-errors.js';
import type { Row } from '../../pool/runner.js';
import type { StoredValues } from '../../content/plan/stored-instances.js';
import type { ContentType, Model, Schema } from '../../content/model/model.js';
import type { ContentSettings } from '../../kernel/settings.js';
import { describeModel, digestOf, type ModelDescription } from '../../content/model/description.js';
import {
  compileHidden,
  compileMissingIndexes,
  compileSample,
  compileVersionsAfter,
  hasComponents,
  MANY,
  unknownIn,
} from './leftovers.js';
import { type Holder, holdersIn } from '../../content/plan/stored-problems.js';
import { RefusedValues } from './refused-values.js';
import {
  compileStoredModel,
  type StoredModel,
  parseStoredModel,
  type BackfillRecord,
} from './stored-model.js';

/** Difference between the database and the model. */
export interface Finding {
  /**
   * - `error`: content would be lost, or shown to callers that must not see it. Production does not start.
   *
   * - `note`: the content is of another model.
   *
   * - `value`: a stored value violates a rule. Responses show it; a write with it fails.
   */
  readonly weight: 'error' | 'note' | 'value';
  readonly text: string;
}

export interface ContentToCheck {
  readonly database: Database;
  readonly schema: Schema;
  readonly settings: ContentSettings;
}

export interface CheckResult extends StoredAtStart {
  /** Reason why the database is unreachable; null if it is reachable. */
  readonly unreachable: string | null;
  readonly findings: readonly Finding[];
  /** Sentence with instructions to fix the findings. */
  readonly advice: string;
}

/** Rows per read of a complete check. */
const ROWS_PER_READ = 500;

const typesOf = ({ types }: Schema): ContentType[] => [...types.values()].filter(({ internal }) => !internal);

const countText = (count: number): string => (count >= MANY ? `${MANY} or more` : String(count));

/** Reports rows that no request returns; empty if the count is 0. */
const unreachableRows = (count: number, sentence: (shown: string) => string): Finding[] =>
  count === 0 ? [] : [{ weight: 'error', text: `${sentence(countText(count))}, which no request returns` }];

async function findUnreachableRows(
  { database, schema, settings }: ContentToCheck,
  backfill: BackfillRecord | null,
): Promise<Finding[]> {
  const { defaultLocale } = settings;
  // A migration that is running has created drafts for the next release.
  const types = typesOf(schema).filter(
    ({ singularApiId }) => backfill?.drafts.includes(singularApiId) !== true,
  );
  if (types.length === 0) return [];
  const rows = await database.run(compileHidden(types, defaultLocale));
  return rows.flatMap(({ type, drafts, locales }) => [
    ...unreachableRows(Number(drafts), (count) => `${String(type)} has no drafts, but ${count} are stored`),
    ...unreachableRows(
      Number(locales),
      (count) =>
        `${String(type)} is not localized, but ${count} versions are stored in locales other than "${defaultLocale}"`,
    ),
  ]);
}

/** Reports declared indexes that the database lacks. */
async function findMissingIndexes({ database, schema }: ContentToCheck): Promise<Finding[]> {
  const statement = compileMissingIndexes(typesOf(schema));
  const rows = statement === null ? [] : await database.run(statement);
  return rows.map(({ type, name }) => {
    const extension = String(name).endsWith('_trigram') ? ' It requires the extension pg_trgm.' : '';
    return {
      weight: 'note',
      text: `The database lacks the index ${String(name)} of ${String(type)}.${extension}`,
    };
  });
}

const valuesIn = ({ value }: Row): StoredValues => JSON.parse(String(value)) as StoredValues;

/** Reports names in components that the model does not have. */
function unknownNames(found: ReadonlySet<string>): Finding[] {
  const names = [...found].sort().join(', ');
  return names === ''
    ? []
    : [{ weight: 'note', text: `Components contain data that the model does not have: ${names}` }];
}

/** Checks the components of the newest documents for unknown names. */
async function checkNewest({ database, schema }: ContentToCheck): Promise<Finding[]> {
  const types = typesOf(schema).filter(hasComponents);
  const found = new Set<string>();
  const lost = (at: string): void => void found.add(at);
  for (const row of types.length === 0 ? [] : await database.run(compileSample(types))) {
    const model = schema.types.get(String(row['type']));
    if (model === undefined) continue;
    for (const holder of holdersIn({ model, at: model.singularApiId, values: valuesIn(row) }, lost))
      unknownIn(holder).forEach(lost);
  }
  return unknownNames(found);
}

async function* versionsOf(database: Database, type: ContentType): AsyncGenerator<Row> {
  for (let after = 0; ;) {
    const rows = await database.run(compileVersionsAfter(type, after, ROWS_PER_READ));
    yield* rows;
    if (rows.length < ROWS_PER_READ) return;
    after = Number(rows.at(-1)?.['id']);
  }
}

/** Checks all documents for unknown names and for values that violate rules. */
async function checkAll({ database, schema }: ContentToCheck): Promise<Finding[]> {
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
  return [...unknownNames(found), ...refused.sentences().map((text) => ({ weight: 'value', text }) as const)];
}

type Attributes = ModelDescription['types'][string]['attributes'];

/** Whether a model declares an attribute as removed or renamed. */
const isAccountedFor = (name: string, { removed, attributes }: Model): boolean =>
  removed.includes(name) || [...attributes.values()].some(({ def }) => def.previousName === name);

interface StoredAttribute {
  readonly at: string;
  readonly name: string;
  readonly type: string;
}

/** Returns the problem that an attribute of the stored model would cause; null for none. */
function problemOfStored({ at, name, type }: StoredAttribute, model: Model): string | null {
  const attribute = model.attributes.get(name);
  if (attribute === undefined)
    return isAccountedFor(name, model)
      ? null
      : `${at}.${name} is stored, but the model of this release does not have it`;
  const isShown = type === 'password' && attribute.def.type !== 'password';
  return isShown ? `${at}.${name} was a password; responses would show its stored hashes` : null;
}

/** Returns the problems with the stored types or components under the model of this release. */
function problemsOfStored(
  stored: Readonly<Record<string, { readonly attributes: Attributes }>>,
  models: ReadonlyMap<string, Model>,
): string[] {
  return Object.entries(stored).flatMap(([at, { attributes }]) => {
    const model = models.get(at) ?? [...models.values()].find(({ previousName }) => previousName === at);
    if (model === undefined) return [`${at} is stored, but the model of this release does not have it`];
    return Object.entries(attributes).flatMap(
      ([name, { type }]) => problemOfStored({ at, name, type }, model) ?? [],
    );
  });
}

/** Compares the stored model with the model of this release. */
function compareStoredModel({ schema, settings }: ContentToCheck, stored: StoredModel | null): Finding[] {
  if (stored === null || stored.digest === digestOf(describeModel(schema, settings))) return [];
  const { types, components } = stored.description;
  const lost = [...problemsOfStored(types, schema.types), ...problemsOfStored(components, schema.components)];
  const text = 'The stored content has another model than this release';
  return [{ weight: 'note', text }, ...lost.map((one) => ({ weight: 'error' as const, text: one }))];
}

/**
 * Compares the database with the model: tables, columns, the stored model, rows that no request returns,
 * names in components.
 *
 * `all` reads every document and checks its values, too, in time linear to their number. Otherwise it runs
 * four statements, and a fifth one if types declare indexes. One of them reads the newest documents.
 */
export async function checkContent(checked: ContentToCheck, all: boolean): Promise<CheckResult> {
  const { away: unreachable, tables, isNew } = await checked.database.problems();
  if (unreachable !== null || tables.length > 0)
    return {
      unreachable,
      findings: tables.map((text) => ({ weight: isNew ? 'note' : 'error', text }) as const),
      advice: adviceText(MAKE_TABLES),
      stored: null,
      generation: '',
    };
  const [row] = await checked.database.run(compileStoredModel(checked.schema));
  const stored = parseStoredModel(row);
  const findings = [
    ...compareStoredModel(checked, stored),
    ...(await findUnreachableRows(checked, stored?.backfill ?? null)),
    ...(await findMissingIndexes(checked)),
    ...(await (all ? checkAll(checked) : checkNewest(checked))),
  ];
  return {
    unreachable,
    findings,
    advice: adviceText(MIGRATE),
    stored: stored?.digest ?? null,
    generation: stored?.generation ?? '',
  };
}

const adviceText = (act: string): string =>
  `To fix this, ${act}; "npx nestjs-content-api check" lists everything`;
