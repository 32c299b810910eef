/** Steps that give the entries of releases the names of the new model. */
import { releaseTablesOf } from '../../content/model/release-tables.js';
import { constant, quote, type Sql, sql } from '../../kernel/sql.js';
import type { Evolution } from './pairs.js';

const entriesIn = ({ after }: Evolution): Sql => quote(releaseTablesOf(after.schema.file).entry);

/** Deletes the entries of a removed type before another type takes its name. */
export const forgetEntries = (evolution: Evolution, name: string): readonly Sql[] => [
  sql`delete from ${entriesIn(evolution)} where type = ${constant(name)}`,
];

/** Gives the entries of a type its new name. */
export const entriesCalled = (evolution: Evolution, before: string, after: string): readonly Sql[] => [
  sql`update ${entriesIn(evolution)} set type = ${constant(after)} where type = ${constant(before)}`,
];
