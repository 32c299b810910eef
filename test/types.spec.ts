/** Types of queries, inputs and responses: correct code compiles, and misspelt code gets a helpful error. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const FOLDER = join(import.meta.dirname, 'types');

interface Problem {
  readonly line: number;
  readonly message: string;
}

/**
 * Returns the compiler errors of the cases, by file. Only the cases are checked; other tests check the
 * library. The large program is released afterwards.
 */
const problemsOf = ((): ((name: string) => readonly Problem[]) => {
  const { config } = ts.readConfigFile(join(FOLDER, 'tsconfig.json'), ts.sys.readFile) as { config: object };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, FOLDER);
  const program = ts.createProgram(fileNames, options);
  const found = (name: string): readonly Problem[] => {
    const file = program.getSourceFile(join(FOLDER, name));
    if (file === undefined) throw new Error(`Missing file: ${name}`);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ start = 0, messageText }) => ({
        line: file.getLineAndCharacterOfPosition(start).line,
        message: ts.flattenDiagnosticMessageText(messageText, '\n'),
      }),
    );
  };
  const all = new Map(['model.ts', 'right.ts', 'wrong.ts'].map((name) => [name, found(name)]));
  return (name) => all.get(name) ?? [];
})();

/** Returns the errors in `wrong.ts`: each from the comment with its message to the next comment. */
function mistakes(): (readonly [code: string, parts: readonly string[], from: number, to: number])[] {
  const lines = readFileSync(join(FOLDER, 'wrong.ts'), 'utf8').split('\n');
  const comments = lines.flatMap((line, at) => (/^ *\/\/ /.test(line) ? [at] : []));
  return comments.map((at, i) => {
    const parts = (lines[at] ?? '').trim().slice(3).split('…');
    return [
      (lines[at + 1] ?? '').trim(),
      parts.map((part) => part.trim()),
      at,
      comments[i + 1] ?? lines.length,
    ];
  });
}

describe('code that compiles', () => {
  it.each(['model.ts', 'right.ts'])('%s', (name) => {
    expect(problemsOf(name)).toEqual([]);
  });

  it('is checked: a wrong type is an error', () => {
    const text = readFileSync(join(FOLDER, 'right.ts'), 'utf8');
    expect([...text.matchAll(/\bholds</g)].length).toBeGreaterThan(50);
  });
});

describe('code that does not compile', () => {
  const problems = problemsOf('wrong.ts');
  const cases = mistakes();

  it('has one error for each comment', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
    expect(problems).toHaveLength(cases.length);
  });

  it.each(cases)('%s', (_code, parts, from, to) => {
    const [problem, ...more] = problems.filter(({ line }) => line > from && line < to);
    expect(more).toEqual([]);
    for (const part of parts) expect(problem?.message).toContain(part);
  });
});
