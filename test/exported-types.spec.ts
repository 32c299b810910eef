/** Each type in a signature of the public API can be named by applications: an entry point exports it. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '..');
const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Readonly<Record<string, string | { readonly types: string }>>;
};
const sourceOf = (types: string): string =>
  join(ROOT, types.replace('./dist', 'src').replace(/\.d\.ts$/, '.ts'));
/** Sources of the entry points. */
const ENTRIES = Object.values(exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [sourceOf(entry.types)],
);

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as { config: object };
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
const program = ts.createProgram(ENTRIES, { ...options, noEmit: true });
const checker = program.getTypeChecker();

const resolved = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

const isOwn = ({ fileName }: ts.SourceFile): boolean => fileName.startsWith(join(ROOT, 'src/'));

const isHidden = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);

/** Parts of a declaration that are not in its signature. */
const isInside = (node: ts.Node): boolean =>
  ts.isBlock(node) || ts.isDecorator(node) || ts.isPrivateIdentifier(node) || isHidden(node);

/** Declarations of applications must name interfaces and classes; the compiler expands other types. */
const isNamed = (node: ts.Node): boolean => ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node);

/** Returns the types of the library that a signature names. Injected constructors are not called by applications. */
function namesIn(node: ts.Node, into: Set<ts.Symbol>): void {
  if (isInside(node) || (ts.isConstructorDeclaration(node) && ts.getDecorators(node.parent) !== undefined))
    return;
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) {
    if (node.type !== undefined) namesIn(node.type, into);
    return;
  }
  if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
    const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression;
    const symbol = checker.getSymbolAtLocation(name);
    const own = symbol === undefined ? undefined : resolved(symbol);
    if (own?.declarations?.some((one) => isOwn(one.getSourceFile()) && isNamed(one)) === true) into.add(own);
  }
  ts.forEachChild(node, (child) => namesIn(child, into));
}

/**
 * Structures that applications pass on or get as a whole: the checked model, plans, bases of exported classes, and
 * parts of the typed queries.
 */
const OPAQUE = [
  'AnswerHead',
  'AnsweredFile',
  'Component',
  'ContentController',
  'ContentType',
  'Definition',
  'Definitions',
  'Describing',
  'ListQuery',
  'ReadPlan',
  'ResponseVariant',
  'Size',
  'StoredTarget',
];

const exported = new Set(
  ENTRIES.flatMap((entry) => {
    const file = program.getSourceFile(entry);
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    return module === undefined ? [] : checker.getExportsOfModule(module).map(resolved);
  }),
);

it('exports every type that a public signature names', () => {
  expect(ENTRIES.length).toBeGreaterThan(5);
  expect(exported.size).toBeGreaterThan(80);
  const missing = new Map<string, string>();
  for (const symbol of exported)
    for (const declaration of symbol.declarations ?? []) {
      const named = new Set<ts.Symbol>();
      namesIn(declaration, named);
      for (const one of named) if (!exported.has(one)) missing.set(one.name, `${one.name} (${symbol.name})`);
    }
  expect(
    [...missing.keys()].filter((name) => !OPAQUE.includes(name)).map((name) => missing.get(name)),
  ).toEqual([]);
  expect(OPAQUE.filter((name) => !missing.has(name))).toEqual([]);
});

it('lets the compiler name the types of inferred definitions in declarations of applications', () => {
  const file = join(ROOT, 'test/application.ts');
  const text = `import { defineCollectionType } from 'nestjs-content-api';
    export const page = defineCollectionType({
      singularApiId: 'page', pluralApiId: 'pages', attributes: {},
      desk: { preview: (document, { token }) => String(document['slug']) + String(token) },
    });`;
  const declaring = { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true };
  const host = ts.createCompilerHost(declaring);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    program.getSourceFile(name) ??
    (name === file ? ts.createSourceFile(name, text, rest[0]) : getSourceFile(name, ...rest));
  const application = ts.createProgram([file], declaring, host);
  let declared = '';
  application.emit(application.getSourceFile(file), (_name, written) => (declared += written));
  // A package can be named by its entry points only; in the sources, the compiler prefers their paths.
  expect(declared).toMatch(/import\("\.\.\/src\/module\/types\.ts".*\)\.PreviewedVersion/);
});
