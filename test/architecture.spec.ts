/**
 * Tests of the layout of `src`: layers of folders, names imported between folders, and rules for all code.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { ERRORS } from '../src/kernel/errors.ts';

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

/** Folders and files of `src` by layer: a folder imports only from lower layers and itself. */
const FLOORS: Readonly<Record<string, number>> = {
  kernel: 0,
  pool: 1,
  'content/model': 2,
  'content/query': 3,
  'content/access': 3,
  'content/plan': 4,
  types: 4,
  'content/compile': 5,
  'content/openapi': 5,
  'content/store': 6,
  cache: 7,
  'content/documents': 8,
  'content/http': 9,
  'features/accounts': 10,
  'features/adopt': 10,
  'features/archive': 10,
  'features/compare': 10,
  'features/desk': 10,
  'features/events': 10,
  'features/history': 10,
  'features/evolution': 10,
  'features/media': 10,
  'features/monitoring': 10,
  'features/openapi': 10,
  'features/releases': 10,
  testing: 12,
  module: 11,
  'index.ts': 12,
  'cli.ts': 12,
};

/** Maximum number of names that files of other folders import from a folder. */
const DOORS: Readonly<Record<string, number>> = {
  pool: 12,
  cache: 15,
  'features/accounts': 12,
  'features/adopt': 12,
  'features/archive': 12,
  'features/compare': 3,
  'features/desk': 12,
  'features/events': 12,
  'features/history': 4,
  'features/evolution': 12,
  'features/media': 12,
  'features/monitoring': 12,
  'features/openapi': 12,
  'features/releases': 4,
};

/** Files whose names are exported by the package: the package itself, and one per feature with a sub-path. */
const ENTRIES: Readonly<Record<string, number>> = {
  'index.ts': 80,
  'features/accounts/index.ts': 25,
  'features/desk/index.ts': 10,
  'features/events/index.ts': 20,
  'features/history/index.ts': 4,
  'features/media/index.ts': 25,
  'features/media/s3.ts': 3,
  'features/releases/index.ts': 2,
  'module/types.ts': 62,
  'testing/index.ts': 5,
};

/** SQL that MikroORM takes as text: expressions of indexes, built from schema names only. */
const SQL_TEXT_EXCEPTIONS = ['content/store/entities.ts'];

interface Import {
  readonly from: string;
  /** File below `src`, or name of a package. */
  readonly to: string;
  readonly names: readonly string[];
}

interface Source {
  readonly file: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
}

function importsOf(file: string, tree: ts.SourceFile): Import[] {
  return tree.statements.flatMap((statement): Import[] => {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) return [];
    if (statement.moduleSpecifier === undefined) return [];
    const specifier = (statement.moduleSpecifier as ts.StringLiteral).text;
    const to = specifier.startsWith('.')
      ? normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts')
      : specifier;
    const bindings = isImport ? statement.importClause?.namedBindings : statement.exportClause;
    const names =
      bindings !== undefined && 'elements' in bindings
        ? bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text)
        : ['*'];
    return [{ from: file, to, names }];
  });
}

const sources: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => {
    const tree = ts.createSourceFile(
      file,
      readFileSync(join(SRC, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    return { file, tree, imports: importsOf(file, tree) };
  });
const imports = sources.flatMap((source) => source.imports);
const local = imports.filter(({ to }) => to.endsWith('.ts'));
const packages = imports.filter(({ to }) => !to.endsWith('.ts'));

/** Returns the folder of a file: the longest key of FLOORS that its path begins with. */
const folderOf = (file: string): string =>
  Object.keys(FLOORS)
    .filter((folder) => file === folder || file.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0] ?? file;
const floorOf = (file: string): number => FLOORS[folderOf(file)] ?? Number.NaN;
const show = ({ from, to }: Import): string => `${from} → ${to}`;

/** Returns the matching nodes of a file, with their lines. */
function nodes(source: Source, wanted: (node: ts.Node) => boolean): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (wanted(node))
      found.push(`${source.file}:${source.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return found;
}

const isTaggedBySql = (node: ts.Node): boolean =>
  ts.isTaggedTemplateExpression(node.parent) && node.parent.tag.getText() === 'sql';
const textOf = (node: ts.Node): string =>
  ts.isNoSubstitutionTemplateLiteral(node)
    ? node.text
    : ts.isTemplateExpression(node)
      ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('?')
      : '';
const SQL =
  /\b(select|insert\s+into|delete\s+from|update\s+\S+\s+set|where|order\s+by|group\s+by|union|returning|create\s+(unique\s+)?index)\b/i;

/**
 * Returns true if a node checks the kind of something: compares it, switches on it, or narrows its type by
 * it.
 */
const asksFor =
  (kinds: readonly string[]) =>
  (node: ts.Node): boolean => {
    const named = (one: ts.Node): boolean => ts.isStringLiteral(one) && kinds.includes(one.text);
    if (ts.isBinaryExpression(node)) return /\bkind$/.test(node.left.getText()) && named(node.right);
    if (ts.isCaseClause(node))
      return /\bkind$/.test(node.parent.parent.expression.getText()) && named(node.expression);
    return (
      ts.isTypeReferenceNode(node) &&
      node.typeName.getText() === 'Extract' &&
      kinds.some((kind) => node.getText().includes(`kind: '${kind}'`))
    );
  };

/**
 * Returns true for a function with a name: a declaration, a member of a class or an object, or a constant.
 */
function isNamedFunction(node: ts.Node): boolean {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node.body !== undefined;
  if (ts.isConstructorDeclaration(node) || ts.isAccessor(node)) return node.body !== undefined;
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false;
  return ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent);
}

describe('architecture', () => {
  it('finds the code', () => {
    expect(sources.length).toBeGreaterThan(40);
    expect(local.length).toBeGreaterThan(150);
  });

  it('every file has a layer', () => {
    expect(sources.map(({ file }) => file).filter((file) => Number.isNaN(floorOf(file)))).toEqual([]);
  });

  it('a folder imports only from lower layers and itself', () => {
    const upward = (one: Import): boolean =>
      folderOf(one.from) !== folderOf(one.to) && floorOf(one.to) >= floorOf(one.from);
    expect(local.filter((one) => upward(one)).map(show)).toEqual([]);
  });

  it('the number of names that other folders import is bounded', () => {
    for (const [folder, bound] of Object.entries(DOORS)) {
      const incoming = local.filter(({ from, to }) => folderOf(to) === folder && folderOf(from) !== folder);
      const names = new Set(incoming.flatMap((one) => one.names));
      expect([folder, names.size <= bound, [...names].sort()]).toEqual([folder, true, expect.anything()]);
    }
  });

  it('imports have no cycles', () => {
    const next = new Map(
      sources.map(({ file, imports: list }) => [
        file,
        list.map(({ to }) => to).filter((to) => to.endsWith('.ts')),
      ]),
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) return void cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file)) return;
      for (const to of next.get(file) ?? []) walk(to, [...path, file]);
      done.add(file);
    };
    for (const { file } of sources) walk(file, []);
    expect(cycles).toEqual([]);
  });

  it('only the entries of the package re-export, a bounded number of names', () => {
    const reexports = sources.filter(({ tree }) =>
      tree.statements.some((one) => ts.isExportDeclaration(one) && one.moduleSpecifier !== undefined),
    );
    expect(reexports.map(({ file }) => file).filter((file) => !(file in ENTRIES))).toEqual([]);
    for (const [entry, bound] of Object.entries(ENTRIES)) {
      const names = imports.filter(({ from }) => from === entry).flatMap((one) => one.names);
      expect(names).not.toContain('*');
      expect([entry, names.length <= bound]).toEqual([entry, true]);
      const users = imports.filter(({ to, names: used }) => to === entry && used.length > 0);
      expect(users.map(show)).toEqual([]);
    }
  });

  it('only content/store, content/documents, the runner and the module import MikroORM', () => {
    const allowed = /^content\/(store|documents)\/|^pool\/runner\.ts$|^module\/(content|define-content)\./;
    expect(
      packages.filter(({ from, to }) => to.startsWith('@mikro-orm/') && !allowed.test(from)).map(show),
    ).toEqual([]);
  });

  it('folders below the cache do not import Nest', () => {
    const below = packages.filter(
      (one) => one.to.startsWith('@nestjs/') && floorOf(one.from) < 7 && !/^content\/store\//.test(one.from),
    );
    expect(below.map(show)).toEqual([]);
  });

  it('the manifest declares exactly the imported packages', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const declared = [
      ...Object.keys(manifest['dependencies'] ?? {}),
      ...Object.keys(manifest['peerDependencies'] ?? {}),
    ];
    const used = new Set(
      packages
        .map(({ to }) => to)
        .filter((to) => !to.startsWith('node:'))
        .map((to) =>
          to
            .split('/')
            .slice(0, to.startsWith('@') ? 2 : 1)
            .join('/'),
        ),
    );
    expect([...used].filter((name) => !declared.includes(name))).toEqual([]);
    // Optional packages are checked at start. The compiler imports `tslib` into its output.
    const elsewhere = ['reflect-metadata', 'tslib', ...Object.keys(manifest['peerDependenciesMeta'] ?? {})];
    expect(declared.filter((name) => !used.has(name) && !elsewhere.includes(name))).toEqual([]);
  });

  it('only the schema builds names for SQL', () => {
    const calls = (node: ts.Node): boolean =>
      ts.isCallExpression(node) && node.expression.getText() === 'identifier';
    const allowed = (file: string): boolean => file === 'kernel/sql.ts' || file.startsWith('content/model/');
    expect(sources.filter(({ file }) => !allowed(file)).flatMap((source) => nodes(source, calls))).toEqual(
      [],
    );
  });

  it('SQL is written in the sql tag only', () => {
    const rooms = sources.filter(
      ({ file }) =>
        /^(pool|cache|content\/(compile|store|documents|plan))\//.test(file) &&
        !SQL_TEXT_EXCEPTIONS.includes(file),
    );
    const isText = (node: ts.Node): boolean =>
      (ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) &&
      !isTaggedBySql(node) &&
      SQL.test(textOf(node));
    expect(rooms.flatMap((source) => nodes(source, isText))).toEqual([]);
  });

  it('`new Sql` and `new Param` appear only in sql.ts', () => {
    const makes = (node: ts.Node): boolean =>
      ts.isNewExpression(node) && ['Sql', 'Param'].includes(node.expression.getText());
    expect(
      sources.filter(({ file }) => file !== 'kernel/sql.ts').flatMap((source) => nodes(source, makes)),
    ).toEqual([]);
  });

  it('kinds of joins are rows of tables: no code branches on the kind of a join', () => {
    const asks = asksFor(['column', 'inverseColumn', 'link', 'inverseLink', 'embedded', 'locales']);
    expect(sources.flatMap((source) => nodes(source, asks))).toEqual([]);
    const tables = sources.filter(({ tree }) => /\binverseLink\b/.test(tree.text)).map(({ file }) => file);
    expect(tables.sort()).toEqual([
      'content/compile/joins/joins.ts',
      'content/model/join-model.ts',
      'content/model/join-storage.ts',
      'content/model/joins.ts',
    ]);
  });

  it('few files branch on the kind of an attribute, and none below the plan', () => {
    const asks = asksFor(['scalar', 'relation', 'morph', 'component', 'zone']);
    const files = sources.filter((source) => nodes(source, asks).length > 0).map(({ file }) => file);
    expect(files.length).toBeLessThanOrEqual(8);
    expect(files.filter((file) => /^(pool|cache|content\/(compile|store|documents))\//.test(file))).toEqual(
      [],
    );
  });

  it('has no `any`', () => {
    expect(
      sources.flatMap((source) => nodes(source, (node) => node.kind === ts.SyntaxKind.AnyKeyword)),
    ).toEqual([]);
  });

  it('a function has at most 60 lines, and 90 % have at most 20', () => {
    const lengths = sources.flatMap(({ file, tree }) => {
      const found: { readonly at: string; readonly lines: number }[] = [];
      const lineOf = (position: number): number => tree.getLineAndCharacterOfPosition(position).line + 1;
      const visit = (node: ts.Node): void => {
        if (isNamedFunction(node)) {
          const first = lineOf(node.getStart());
          found.push({ at: `${file}:${first}`, lines: lineOf(node.getEnd()) - first + 1 });
        }
        ts.forEachChild(node, visit);
      };
      visit(tree);
      return found;
    });
    expect(lengths.length).toBeGreaterThan(900);
    expect(lengths.filter(({ lines }) => lines > 60)).toEqual([]);
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length * 0.9)]).toBeLessThanOrEqual(20);
  });

  it('no file is longer than 300 lines', () => {
    expect(
      sources.filter(({ tree }) => tree.getLineStarts().length - 1 > 300).map(({ file }) => file),
    ).toEqual([]);
  });

  it('code reads no environment and writes to no console', () => {
    const global = (node: ts.Node): boolean =>
      ts.isPropertyAccessExpression(node) &&
      ['process.env', 'process.exit', 'console.log', 'console.error', 'console.warn'].includes(
        node.getText(),
      );
    // The command line runs as a separate process; NODE_ENV defines production everywhere.
    const allowed = ['cli.ts', 'module/production.ts'];
    expect(
      sources.filter(({ file }) => !allowed.includes(file)).flatMap((source) => nodes(source, global)),
    ).toEqual([]);
  });

  it('S27: only webhooks connect to addresses of requests, through a file that checks them', () => {
    // The command `adopt --compare` connects to the addresses of its command line.
    const opens = (node: ts.Node): boolean =>
      (ts.isCallExpression(node) && node.expression.getText() === 'fetch') ||
      (ts.isImportDeclaration(node) &&
        /\{[^}]*\b(?:connect|createConnection|request|get|Socket|Agent)\b[^}]*\} from 'node:(?:https?|http2|net|tls|dgram)'/.test(
          node.getText(),
        ));
    const allowed = (file: string): boolean =>
      // The command `adopt` connects to the URLs on its command line, never to one of a request.
      [
        'pool/cancel-request.ts',
        'features/events/webhooks/send.ts',
        'features/adopt/rest-client.ts',
        'features/compare/compare-servers.ts',
      ].includes(file) || file.startsWith('testing/');
    expect(sources.filter(({ file }) => !allowed(file)).flatMap((source) => nodes(source, opens))).toEqual(
      [],
    );
    expect(sources.filter(({ file }) => allowed(file)).flatMap((source) => nodes(source, opens))).not.toEqual(
      [],
    );
  });

  it('every error has a row in docs/errors.md, and every row has an error', () => {
    const text = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8');
    const rows = [...text.matchAll(/^\| `(\w+Error)` \| (\d+) \| [^|]+ \| [^|]+ \|$/gm)].map(
      ([, name = '', status]) => [name, Number(status)],
    );
    expect(rows).toEqual(Object.entries(ERRORS));
  });
});
