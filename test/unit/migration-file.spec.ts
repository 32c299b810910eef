/** A migration file runs only its statements, whatever strings of a model it contains. */
import { createContext, runInContext } from 'node:vm';
import { migrationFile } from '../../src/features/evolution/migration-file.ts';

/** Loads a file, runs `up`, and returns the statements it adds and the globals it sets. */
function run(file: string): { readonly statements: readonly string[]; readonly broken: unknown } {
  const statements: string[] = [];
  class Migration {
    addSql(text: string): void {
      statements.push(text);
    }
  }
  const context = createContext({ exports: {}, require: () => ({ Migration }), broken: false });
  runInContext(file, context);
  runInContext('new exports.M1().up()', context);
  return { statements, broken: runInContext('broken', context) };
}

describe('the file of a migration', () => {
  it.each([
    ['a line feed', '\n'],
    ['a carriage return', '\r'],
    ['both', '\r\n'],
    ['U+2028', '\u2028'],
    ['U+2029', '\u2029'],
  ])('keeps a change with %s in its comment, and the statement unchanged', (_name, end) => {
    const change = `enum value "a${end}broken = true; //" is removed`;
    const statement = `update notes set state = 'a${end}\`\${broken = true}\\'`;
    const file = migrationFile('M1', {
      up: [statement],
      online: { begin: [], backfills: [], step: [], after: [] },
      down: null,
      isFirst: false,
      changes: [change],
      refusals: [],
    });
    expect(run(file)).toEqual({ statements: [statement], broken: false });
  });
});
