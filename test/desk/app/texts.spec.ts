/** Texts of the desk: each is used by its name, or is in a group whose texts are found by names of the server. */
import { join } from 'node:path';
import ts from 'typescript';

const DESK = join(import.meta.dirname, '../../../desk');
const CATALOGUE = /\/desk\/src\/texts\/(?:\w+\.)?(en|de)\.ts$/;

/** Groups with texts for names that the server or the model has. */
const BY_NAME = ['types', 'kinds', 'ages', 'sorts', 'subjects', 'names', 'operators'];

const parsed = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(DESK, 'tsconfig.json'), (file) => ts.sys.readFile(file)).config,
  ts.sys,
  DESK,
);
const program = ts.createProgram(parsed.fileNames, parsed.options);
const checker = program.getTypeChecker();

/** Calls a function for each node of the desk in the files that it selects. */
function walk(isSelected: (file: string) => boolean, each: (node: ts.Node) => void): void {
  const visit = (node: ts.Node): void => {
    each(node);
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles())
    if (file.fileName.startsWith(`${DESK}/src/`) && isSelected(file.fileName)) visit(file);
}

const isInGroup = (node: ts.Node): boolean =>
  (ts.isPropertyAssignment(node) && BY_NAME.includes(node.name.getText())) ||
  (!ts.isSourceFile(node) && isInGroup(node.parent));

/** Types of the values of an expression, each alone. */
function typesOf(node: ts.Node): readonly ts.Type[] {
  const type = checker.getTypeAtLocation(node);
  return type.isUnion() ? type.types : [type];
}

/** Properties that a node names, by a dot, by brackets, or to take them apart. */
function named(node: ts.Node): readonly (ts.Symbol | undefined)[] {
  if (ts.isPropertyAccessExpression(node)) return [checker.getSymbolAtLocation(node.name)];
  if (ts.isBindingElement(node)) {
    const name = (node.propertyName ?? node.name).getText();
    return [checker.getTypeAtLocation(node.parent).getProperty(name)];
  }
  if (!ts.isElementAccessExpression(node)) return [];
  const group = checker.getTypeAtLocation(node.expression);
  return typesOf(node.argumentExpression).flatMap((one) =>
    one.isStringLiteral() ? [group.getProperty(one.value)] : group.getProperties(),
  );
}

describe('texts of the desk', () => {
  it('are all used', () => {
    const unused = new Set<ts.Node>();
    walk(
      (file) => CATALOGUE.exec(file)?.[1] === 'en',
      (node) => {
        const isText = ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node);
        if (isText && !isInGroup(node)) unused.add(node);
      },
    );
    expect(unused.size).toBeGreaterThan(500);
    walk(
      () => true,
      (node) => {
        for (const symbol of named(node))
          for (const declaration of symbol?.declarations ?? []) unused.delete(declaration);
      },
    );
    expect([...unused].map((node) => node.getText())).toEqual([]);
  });
});
