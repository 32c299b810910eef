/**
 * Measures the time that TypeScript needs for code that uses a registered model. Compares a program with the
 * model alone to one with queries, writes and hooks for each of its types.
 */
import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { median } from '../read/measure.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const SCALARS = [
  'string',
  'text',
  'email',
  'integer',
  'biginteger',
  'float',
  'boolean',
  'date',
  'datetime',
  'json',
  'blocks',
];

/** Returns a type with eleven scalars, an enumeration, six relations, media, components and a zone. */
function typeText(i, count) {
  const target = (step) => `type${(i + step) % count}`;
  const attributes = [
    `name: { type: 'string', required: true }`,
    ...SCALARS.map((type, n) => `scalar${n}: { type: '${type}'${n % 3 === 0 ? ', required: true' : ''} }`),
    `mood: { type: 'enumeration', enum: ['good', 'bad', 'other'] }`,
    ...[1, 2, 3].map((n) => `one${n}: { type: 'relation', relation: 'manyToOne', target: '${target(n)}' }`),
    ...[4, 5, 6].map((n) => `many${n}: { type: 'relation', relation: 'manyToMany', target: '${target(n)}' }`),
    `cover: { type: 'media' }`,
    `gallery: { type: 'media', multiple: true }`,
    `part: { type: 'component', component: 'shared.part${i % 10}' }`,
    `parts: { type: 'component', component: 'shared.part${(i + 1) % 10}', repeatable: true }`,
    `zone: { type: 'dynamiczone', components: ['shared.part0', 'shared.part1', 'shared.part2', 'shared.part3'] }`,
  ];
  return `defineCollectionType({ singularApiId: 'type${i}', pluralApiId: 'types${i}', draftAndPublish: true, localized: true, attributes: { ${attributes.join(', ')} } })`;
}

const partText = (i) =>
  `defineComponent({ uid: 'shared.part${i}', attributes: { text: { type: 'text', required: true }, image: { type: 'media' }, about: { type: 'relation', relation: 'manyToOne', target: 'type${i}' } } })`;

function modelText(count) {
  return `import { defineCollectionType, defineComponent } from 'nestjs-content-api';
${Array.from({ length: count }, (_, i) => `const type${i} = ${typeText(i, count)};`).join('\n')}
${Array.from({ length: 10 }, (_, i) => `const part${i} = ${partText(i)};`).join('\n')}
export const model = {
  contentTypes: [${Array.from({ length: count }, (_, i) => `type${i}`)}],
  components: [${Array.from({ length: 10 }, (_, i) => `part${i}`)}],
} as const;
declare module 'nestjs-content-api' { interface Register { model: typeof model } }
`;
}

/** Returns the code of a service for one type. */
const useText = (i, count) => `
export async function use${i}(s: ContentService<'type${i}'>, e: ContentEvent<'type${i}'>): Promise<unknown[]> {
  const list = await s.find({ fields: ['name', 'scalar3'], filters: { scalar3: { $gt: 3 }, one1: { name: { $startsWith: 'x' } }, $or: [{ part: { text: 'x' } }, { many4: { id: 3 } }] }, sort: ['name', 'one1.name:desc'], populate: { one1: { fields: ['name'], populate: { one2: true } }, zone: { on: { 'shared.part0': { populate: '*' } } }, many4: { count: true } }, pagination: { page: 2 } });
  const all = await s.findOne('x', { populate: '*', status: 'draft' });
  const dotted = await s.find({ populate: ['one1.cover', 'parts.image'] });
  const made = await s.create({ name: 'x', scalar0: 'x', scalar3: 3, scalar6: true, scalar9: {}, one1: 'x', many4: { connect: [1] }, part: { text: 'x' }, zone: [{ __component: 'shared.part1', text: 'x' }] });
  const changed = await s.update('x', { mood: 'good', many5: [1, 2] }, { populate: ['one1'] });
  e.data.name = 'x';
  const d: DocumentOf<'type${(i + 1) % count}'> | undefined = all?.one1 ?? undefined;
  return [list.data.map((row) => [row.name, row.one1?.one2?.name, row.zone.map((z) => z.image?.url)]), all?.gallery[0]?.url, dotted.data[0]?.one1?.cover?.url, made.name, changed.one1?.name, d?.name, e.document?.name];
}`;

/** Returns the CPU milliseconds of a check of a file and its imports. */
function check(folder, file) {
  const options = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    experimentalDecorators: true,
  };
  const program = ts.createProgram([join(folder, file)], options);
  const source = program.getSourceFile(join(folder, file));
  const start = process.cpuUsage();
  const problems = program.getSemanticDiagnostics(source);
  const took = process.cpuUsage(start).user / 1000;
  if (problems.length > 0) throw new Error(ts.flattenDiagnosticMessageText(problems[0].messageText, '\n'));
  return took;
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: { types: { type: 'string', default: '60' }, tries: { type: 'string', default: '5' } },
  });
  const count = Number(values.types);
  const folder = mkdtempSync(join(ROOT, 'bench/types/.run-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules/nestjs-content-api'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'model.ts'), modelText(count));
    writeFileSync(
      join(folder, 'plain.ts'),
      `import { ContentService } from 'nestjs-content-api';\nexport const s: ContentService[] = [];\n`,
    );
    writeFileSync(
      join(folder, 'use.ts'),
      `import type { ContentEvent, ContentService, DocumentOf } from 'nestjs-content-api';\nimport './model.js';\n${Array.from({ length: count }, (_, i) => useText(i, count)).join('')}`,
    );
    const timed = (file) =>
      Math.round(median(Array.from({ length: Number(values.tries) }, () => check(folder, file))));
    const [plain, model, use] = [timed('plain.ts'), timed('model.ts'), timed('use.ts')];
    console.log(
      `${count} types, median of ${values.tries} checks by TypeScript ${ts.version}, processor time without parsing:`,
    );
    console.log(`  a file without a model  ${plain} ms`);
    console.log(`  the model               ${model} ms`);
    console.log(`  seven uses of each type ${use} ms`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
