/**
 * `npm run bench -- layout [--before FOLDER]`: describes the source code of this checkout, and of another
 * one. It prints files, lines, share of comment lines, names that folders import from each other, and
 * folders of each walk.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';

/** Files of the eight walks, by name. */
const WALKS = {
  GET: /(content\.(controller|interceptor)|access\.guard|parse-query|plan-read|compile-read|[/](documents\.service|reads)|database|envelope\.interceptor)\./,
  PUT: /(content\.controller|body|plan-write|run-write|[/]load|plan-values|compile-(steps|write|links)|own-transaction|write-(batches|flights))\./,
  publish: /(actions|plan-write|compile-(transitions|drafts)|content-requests)\./,
  schedule: /schedule/,
  upload:
    /([/]files?[.-]|upload|form\.guard|prepare-file|storage\.ts|images?[/]|sharp|signed-(urls|links)|served-files|media-names)/,
  'cached GET':
    /(ledger|read-cache|odds|generations|keeper|shared-reads|filtered-totals|[/](subject|dependencies)|triggers|-totals|compile-triggers|[/]mark|-mark)/,
  'sign-in':
    /(account|auth|sign-in|session|roles?[-.]|users?[-.]|token|json-web|mailed|rate-limits|permission-tree|read-fields)/,
  migration: /(evolution|migrat|description|stored-model)/,
};

const folderOf = (file) => {
  const parts = file.split('/');
  const depth = ['content', 'features'].includes(parts[0]) ? 2 : 1;
  return parts.length > depth ? parts.slice(0, depth).join('/') : '.';
};

function sourcesOf(root) {
  const src = join(root, 'src');
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => {
      const text = readFileSync(join(src, file), 'utf8');
      return { file, text, tree: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) };
    });
}

/** Number of lines that a comment occupies alone. */
function commentLines({ text }) {
  let inside = false;
  let count = 0;
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (inside || line.startsWith('//') || line.startsWith('/*')) count += 1;
    if (line.startsWith('/*')) inside = true;
    if (line.includes('*/')) inside = false;
  }
  return count;
}

/** Names that files of other folders import from each folder. */
function doorsOf(sources) {
  const names = new Map();
  for (const { file, tree } of sources)
    for (const statement of tree.statements) {
      if (!ts.isImportDeclaration(statement)) continue;
      const specifier = statement.moduleSpecifier.text;
      if (!specifier.startsWith('.')) continue;
      const target = normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts');
      const [from, to] = [folderOf(file), folderOf(target)];
      const bindings = statement.importClause?.namedBindings;
      if (from === to || bindings === undefined || !ts.isNamedImports(bindings)) continue;
      const known = names.get(to) ?? new Set();
      for (const { name, propertyName } of bindings.elements) known.add((propertyName ?? name).text);
      names.set(to, known);
    }
  return new Map([...names].map(([folder, all]) => [folder, all.size]));
}

function measure(root) {
  const sources = sourcesOf(root);
  const sum = (of) => sources.reduce((total, one) => total + of(one), 0);
  const lines = sum(({ text }) => text.split('\n').length - 1);
  const comments = sum(commentLines);
  const byFolder = new Map();
  for (const one of sources) {
    const known = byFolder.get(folderOf(one.file)) ?? { files: 0, lines: 0, comments: 0 };
    byFolder.set(folderOf(one.file), {
      files: known.files + 1,
      lines: known.lines + one.text.split('\n').length - 1,
      comments: known.comments + commentLines(one),
    });
  }
  const walks = Object.entries(WALKS).map(([walk, pattern]) => {
    const files = sources.map(({ file }) => file).filter((file) => pattern.test(`/${file}`));
    const folders = [...new Set(files.map(folderOf))].sort();
    return { walk, files: files.length, folders };
  });
  return { files: sources.length, lines, comments, byFolder, doors: doorsOf(sources), walks };
}

const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;

function report(name, { files, lines, comments, byFolder, doors, walks }) {
  const folders = [...byFolder].sort(([a], [b]) => (a < b ? -1 : 1));
  console.log(`\n${name}: ${files} files, ${lines} lines, ${percent(comments, lines)} of them comments\n`);
  console.log('| folder | files | lines | comments | names that other folders import |');
  console.log('| --- | --: | --: | --: | --: |');
  for (const [folder, one] of folders)
    console.log(
      `| ${folder} | ${one.files} | ${one.lines} | ${percent(one.comments, one.lines)} | ${doors.get(folder) ?? 0} |`,
    );
  console.log('\n| walk | files | folders |\n| --- | --: | --- |');
  for (const one of walks)
    console.log(`| ${one.walk} | ${one.files} | ${one.folders.length}: ${one.folders.join(', ')} |`);
}

export async function bench(args) {
  const { values } = parseArgs({ args, options: { before: { type: 'string' } } });
  if (values.before !== undefined) report('before', measure(resolve(values.before)));
  report('now', measure(join(import.meta.dirname, '..', '..')));
}
