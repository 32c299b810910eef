/** Finds database names that two parts of a model share; PostgreSQL would merge them silently. */
import { IMPORT_TABLE } from './archive.js';
import { AUDIT_INDEX, AUDIT_TABLE } from './audit-table.js';
import { EVENT_NAMES } from './event-tables.js';
import { FORMER_FILE_NAMES } from './former-file-table.js';
import { PRESENCE_NAMES } from './presence-table.js';
import { DELETION_INDEX, HISTORY_INDEX, HISTORY_TABLE } from './history-table.js';
import type { ContentType } from './model.js';
import { MODEL_TABLE } from './model-table.js';
import { COUNTS, INSTANCE_IDS } from './naming.js';
import { RELEASE_NAMES } from './release-tables.js';
import { SCHEDULE_INDEX, SCHEDULE_TABLE } from './schedule.js';
import { SYSTEM_COLUMNS } from './system-columns.js';

/** Names of the library's own tables. The file type claims its table itself. */
const OWN_TABLES: readonly (readonly [string, string])[] = [
  [INSTANCE_IDS, 'the library'],
  [COUNTS, 'the library'],
  [SCHEDULE_TABLE, 'the library'],
  [SCHEDULE_INDEX, 'the library'],
  [MODEL_TABLE, 'the library'],
  [HISTORY_TABLE, 'the library'],
  [HISTORY_INDEX, 'the library'],
  [DELETION_INDEX, 'the library'],
  [AUDIT_TABLE, 'the library'],
  [AUDIT_INDEX, 'the library'],
  [IMPORT_TABLE, 'the library'],
  ...[...EVENT_NAMES, ...FORMER_FILE_NAMES, ...PRESENCE_NAMES, ...RELEASE_NAMES].map(
    (name): [string, string] => [name, 'the library'],
  ),
  ['mikro_orm_migrations', 'the migrations of MikroORM'],
];

function columnClashes({ singularApiId, storage }: ContentType): string[] {
  const owners = new Map<string, string>(SYSTEM_COLUMNS.map(({ name }) => [name, 'the document']));
  return storage.columns.flatMap(({ name, attribute }) => {
    const first = owners.get(name);
    owners.set(name, attribute.name);
    if (first === undefined) return [];
    return [
      `${singularApiId}.${attribute.name}: needs the same column "${name}" as "${first}"; rename one of them`,
    ];
  });
}

/** Returns every name clash with both claimants. All tables and indexes of a model are in one schema. */
export function checkNames(types: readonly ContentType[]): string[] {
  const mistakes: string[] = [];
  const relations = new Map<string, string>(OWN_TABLES);
  const reported = new Set<string>();
  const claim = (taken: string, claimant: string): void => {
    const first = relations.get(taken);
    // Two claimants of a table also clash on each of its indexes: one message suffices.
    if (first !== undefined && first !== claimant && !reported.has(`${claimant} ${first}`)) {
      mistakes.push(
        `${claimant}: needs the same name "${taken}" in the database as ${first}; rename it or set tableName`,
      );
      reported.add(`${claimant} ${first}`);
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
