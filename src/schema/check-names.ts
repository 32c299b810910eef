/** No two parts of a model may take one name in the database; they would be merged silently. */
import { IMPORT_TABLE } from './archive.js';
import type { ContentType } from './model.js';
import { MODEL_TABLE } from './model-table.js';
import { COUNTS, INSTANCE_IDS } from './naming.js';
import { SCHEDULE_INDEX, SCHEDULE_TABLE } from './schedule.js';
import { SYSTEM_COLUMNS } from './system-columns.js';

/** Tables that are taken before any type; the file type's is claimed by the file type. */
const OWN_TABLES: readonly (readonly [string, string])[] = [
  [INSTANCE_IDS, 'the library'],
  [COUNTS, 'the library'],
  [SCHEDULE_TABLE, 'the library'],
  [SCHEDULE_INDEX, 'the library'],
  [MODEL_TABLE, 'the library'],
  [IMPORT_TABLE, 'the library'],
  ['mikro_orm_migrations', 'the migrations of MikroORM'],
];

/** Columns that two attributes of a type want. */
function columnClashes({ singularApiId, storage }: ContentType): string[] {
  const taken = new Map<string, string>(SYSTEM_COLUMNS.map(({ name }) => [name, 'the document']));
  return storage.columns.flatMap(({ name, attribute }) => {
    const first = taken.get(name);
    taken.set(name, attribute.name);
    if (first === undefined) return [];
    return [
      `${singularApiId}.${attribute.name}: needs the same column "${name}" as "${first}"; rename one of them`,
    ];
  });
}

/**
 * Every clash of names, each with both places. A model's tables are all in one schema, as are their indexes.
 */
export function checkNames(types: readonly ContentType[]): string[] {
  const mistakes: string[] = [];
  const relations = new Map<string, string>(OWN_TABLES);
  const told = new Set<string>();
  const claim = (taken: string, claimant: string): void => {
    const first = relations.get(taken);
    // Two with one table have its indexes in common, too.
    if (first !== undefined && first !== claimant && !told.has(`${claimant} ${first}`)) {
      mistakes.push(
        `${claimant}: needs the same name "${taken}" in the database as ${first}; rename it or set tableName`,
      );
      told.add(`${claimant} ${first}`);
    }
    relations.set(taken, claimant);
  };
  for (const type of types) {
    for (const { name, attribute } of type.storage.names)
      claim(name, attribute === null ? type.singularApiId : `${type.singularApiId}.${attribute.name}`);
    mistakes.push(...columnClashes(type));
  }
  return mistakes;
}
