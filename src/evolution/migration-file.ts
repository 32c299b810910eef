/** A migration as a file for MikroORM's migrator, in CommonJS, which runs as it is in any project. */
import type { ContentMigration } from './migrate.js';

/** A text as a template of JavaScript, which reads a carriage return of its source as a line feed. */
const template = (text: string): string => `\`${text.replace(/[`$\\]/g, '\\$&').replaceAll('\r', '\\r')}\``;

/** A text as one line of a comment, without the characters that end one. */
const comment = (text: string): string => `//   ${text.replace(/[\n\r\u2028\u2029]+/g, ' ')}`;

const calls = (statements: readonly string[]): string =>
  statements.map((statement) => `    this.addSql(${template(statement)});`).join('\n');

const NO_WAY_BACK = `    throw new Error('There is no way back: this migration drops or replaces values');`;

/** The file. Values of large tables are changed some thousand rows at a time, within one transaction. */
export function migrationFile(className: string, { up, down, changes }: ContentMigration): string {
  return `'use strict';
const { Migration } = require('@mikro-orm/migrations');

${['// What changes:', ...changes.map(comment)].join('\n')}
// Where values would be lost by the time it runs, it stops and changes nothing.
// Large tables are changed in statements of 5,000 rows each.
class ${className} extends Migration {
  name = '${className}';

  async up() {
${calls(up)}
  }

  async down() {
${down === null ? NO_WAY_BACK : calls(down)}
  }
}
exports.${className} = ${className};
`;
}
