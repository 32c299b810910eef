/** Plain English in pages, messages and OpenAPI texts, by the rules of `plain-words.js`. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { problemsOf } from './plain-words.js';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Fewer words are a name, a label or a key. */
const MIN_WORDS = 4;

const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...globSync('docs/*.md', { cwd: ROOT }).sort(),
];

const problemsIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    problemsOf(text, { forReaders: true }).map((problem) => `"${text.slice(0, 60)}" ${problem}`),
  );

/** Marks of Markdown that are not words: emphasis, and the addresses of links. */
const withoutMarks = (text: string): string =>
  text
    .replaceAll(/\]\([^)\s]*\)/g, '')
    .replaceAll(/\*\*|\[(?!`)/g, '')
    .replace(/^\s*(?:[-*]|\d+\.)\s+(?:(?:D?\d[\w.]*|contract "[^"]+"(?: \d+)?):?\s)?/, '')
    .trim();

/** The parts of a table cell count as sentences. */
const cellsOf = (row: string): string[] =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .flatMap((cell) => cell.split(';'));

/** Texts of a page: paragraphs, list items and table cells. Headings, also those of tables, and code are none. */
function textsOf(page: string): string[] {
  const prose = page
    .replaceAll(/^```[\s\S]*?^```$/gm, '\n\n')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^\|.*\n\|[-| :]+\|$/gm, '')
    .replaceAll(/^#.*$/gm, '\n');
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.|\|)\s)/)
    .map((block) => block.trim())
    .flatMap((block) => (block.startsWith('|') ? cellsOf(block) : [block]))
    .map(withoutMarks)
    .filter((text) => text !== '');
}

/** Of the changelog only what is not released. */
const unreleased = (page: string): string => page.split(/^## /m)[1]?.replace(/^\[.*/, '') ?? '';

const isText = (
  node: ts.Node,
): node is ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);

/** Text of a literal; what a template inserts is like code. */
function textOf(node: ts.Node): string | null {
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === null && right === null ? null : `${left ?? '`x`'}${right ?? '`x`'}`;
  }
  if (!isText(node)) return null;
  if (!ts.isTemplateExpression(node)) return node.text;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('`x`');
}

/** Whether a literal is code: SQL, a type, a module, or a key. */
const isCode = ({ parent }: ts.Node): boolean =>
  ts.isTaggedTemplateExpression(parent) || ts.isLiteralTypeNode(parent) || ts.isImportDeclaration(parent);

const isDescription = ({ parent }: ts.Node): boolean =>
  ts.isPropertyAssignment(parent) && /^(?:summary|description)$/.test(parent.name.getText());

/** Programs and pages that the source contains. */
const GENERATED = /^\s*(?:\/\/|\/\*\*|<!doctype|'use strict')/;

/** The options of a command are a list. */
const linesOf = (text: string): string[] => text.split(/\n\s*(?=--)/);

/** Messages, log lines and OpenAPI texts in the source of a file, without comments. */
function messagesIn(source: string): string[] {
  const tree = ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = isCode(node) ? null : textOf(node);
    if (text === null) return ts.forEachChild(node, visit);
    const isMessage = isDescription(node) || text.trim().split(/\s+/).length >= MIN_WORDS;
    if (isMessage && !GENERATED.test(text)) found.push(...linesOf(text));
    // A template inserts messages of its own.
    if (ts.isTemplateExpression(node)) for (const { expression } of node.templateSpans) visit(expression);
  };
  ts.forEachChild(tree, visit);
  return found;
}

const FILES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('src', file));

describe('the English that users read', () => {
  it.each(PAGES)('%s is plain', (page) => {
    const text = page === 'CHANGELOG.md' ? unreleased(read(page)) : read(page);
    expect(textsOf(text).length).toBeGreaterThan(4);
    expect(problemsIn(textsOf(text))).toEqual([]);
  });

  it('messages, log lines and OpenAPI texts are plain', () => {
    const messages = FILES.map((file) => ({ file, texts: messagesIn(read(file)) }));
    expect(messages.flatMap(({ texts }) => texts).length).toBeGreaterThan(300);
    expect(messages.flatMap(({ file, texts }) => problemsIn(texts).map((one) => `${file}: ${one}`))).toEqual(
      [],
    );
  });

  it('finds problems in a page', () => {
    const page = [
      '# What a page has\n\n| how | what |\n|---|---|\n| who may write | `nobody` |',
      '- **1.1** A list. Whether it is sorted is left open. What is this?',
      '1. This rule is\n   for nobody.\n\n```ts\nconst whoever = 1; // somebody\n```',
      `One sentence of ${'very '.repeat(40)}many words.`,
    ];
    expect(problemsIn(textsOf(page.join('\n\n')))).toEqual([
      '"who may write" begins with "who": name the thing, or begin with a verb',
      expect.stringMatching(/^"A list\..*" begins with "Whether"/),
      expect.stringMatching(/^"This rule is\s+for nobody\." has "nobody"/),
      expect.stringMatching(/has a sentence of 45 words, at most 40/),
    ]);
  });

  it('finds problems in messages, and in texts of OpenAPI of any length', () => {
    const source = `
      // Somebody reads a comment.
      import { somebody } from 'what is somebody to them';
      throw new Error(\`The \${name} is answered \` + 'by nobody at all');
      const route = { summary: 'What it makes', kind: 'what is short' };
      run(sql\`select what from somebody where \${say('somebody else is told')}\`);
    `;
    expect(problemsIn(messagesIn(source))).toEqual([
      '"The `x` is answered by nobody at all" has "nobody": name the subject, or use the plain word',
      '"The `x` is answered by nobody at all" has "answered": name the subject, or use the plain word',
      '"What it makes" begins with "What": name the thing, or begin with a verb',
      '"somebody else is told" has "somebody": name the subject, or use the plain word',
      '"somebody else is told" has "is told": name the subject, or use the plain word',
    ]);
  });

  it('reads only the part of the changelog that is not released', () => {
    expect(unreleased('# Changelog\n\n## [Unreleased]\n\n- One.\n\n## 0.1.0\n\n- Two.\n').trim()).toBe(
      '- One.',
    );
  });
});
