/** Source of a migration file for MikroORM, in CommonJS so that it runs in any project. */
import type { ContentMigration } from './migrate.js';

/** Returns a text as a template literal. JavaScript would read a raw carriage return as a line feed. */
const template = (text: string): string => `\`${text.replace(/[`$\\]/g, '\\$&').replaceAll('\r', '\\r')}\``;

/** Returns a text as one comment line, without line separators. */
const comment = (text: string): string => `//   ${text.replace(/[\n\r\u2028\u2029]+/g, ' ')}`;

const calls = (statements: readonly string[]): string =>
  statements.map((statement) => `    this.addSql(${template(statement)});`).join('\n');

type WayBack = Pick<ContentMigration, 'down' | 'isFirst'>;

/** Returns the reason why a migration has no statements back; null if it has some. */
export function irreversibleReason({ down, isFirst }: WayBack): string | null {
  if (down !== null) return null;
  return isFirst
    ? 'it is the first one, so going back would drop all content. Use a new database to start again'
    : 'it drops or replaces values';
}

/** Returns the source of the migration file. Large tables are updated in batches within one transaction. */
export function migrationFile(className: string, migration: ContentMigration): string {
  const { up, down, changes } = migration;
  const reason = irreversibleReason(migration);
  return `'use strict';
const { Migration } = require('@mikro-orm/migrations');

${['// Changes:', ...changes.map(comment)].join('\n')}
// If values would be lost when it runs, it stops and changes nothing.
// Large tables are changed in statements of 5,000 rows each.
class ${className} extends Migration {
  name = '${className}';

  async up() {
${calls(up)}
  }

  async down() {
${reason === null ? calls(down ?? []) : `    throw new Error('This migration cannot be reverted: ${reason}');`}
  }
}
exports.${className} = ${className};
`;
}
