/** `npx nestjs-content-api types` writes types that compile and match responses and bodies. */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defineCollectionType, defineComponent, defineSingleType } from 'nestjs-content-api';
import ts from 'typescript';
import { run } from '../../src/module/command-line.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import { printTypes } from '../../src/types/print-types.ts';

const MODULES = resolve(import.meta.dirname, '../../node_modules');

const part = defineComponent({
  uid: 'shared.blog-part',
  attributes: { text: { type: 'text', required: true }, hidden: { type: 'string', private: true } },
});
const post = defineCollectionType({
  singularApiId: 'blog-post',
  pluralApiId: 'blog-posts',
  draftAndPublish: true,
  localized: true,
  owner: 'by',
  attributes: {
    title: { type: 'string', required: true },
    mood: { type: 'enumeration', enum: ["it's", 'bad'] },
    count: { type: 'integer', required: true, default: 0 },
    big: { type: 'biginteger' },
    body: { type: 'blocks' },
    secret: { type: 'password' },
    stamp: { type: 'string', writable: false },
    by: { type: 'string', required: true },
    parent: { type: 'relation', relation: 'manyToOne', target: 'blog-post' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'reference' },
    pins: { type: 'relation', relation: 'morphToMany', targets: ['reference', 'blog-post'] },
    cover: { type: 'media' },
    part: { type: 'component', component: 'shared.blog-part', required: true },
    zone: { type: 'dynamiczone', components: ['shared.blog-part'] },
  },
});
/** A name that the file itself uses. */
const reference = defineCollectionType({
  singularApiId: 'reference',
  pluralApiId: 'references',
  attributes: { label: { type: 'string' } },
});
const front = defineSingleType({ singularApiId: 'front', attributes: { title: { type: 'string' } } });
const TEXT = printTypes(buildSchema([post, reference, front], [part]));

const USE = `
import { strapi, type StrapiClient } from '@strapi/client';
import type { BlogPost, BlogPostInput, Collections, ContentClient, Front } from './types.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(_given?: T): void => undefined;
const client = strapi({ baseURL: 'http://localhost/api' }) as ContentClient<StrapiClient>;

holds<Same<BlogPost['title'], string>>();
holds<Same<BlogPost['mood'], "it's" | 'bad' | null>>();
holds<Same<BlogPost['publishedAt'], string | null>>();
holds<Same<BlogPost['big'], string | null>>();
holds<Same<NonNullable<BlogPost['parent']>['title'], string>>();
holds<Same<NonNullable<BlogPost['tags']>[number]['label'], string | null>>();
holds<Same<NonNullable<BlogPost['pins']>[number]['__type'], 'api::reference.reference' | 'api::blog-post.blog-post'>>();
holds<Same<NonNullable<BlogPost['cover']>['url'], string>>();
holds<Same<NonNullable<BlogPost['localizations']>[number]['locale'], string>>();
holds<'secret' extends keyof BlogPost ? false : true>();
holds<'stamp' extends keyof BlogPostInput ? false : true>();
holds<'secret' extends keyof BlogPostInput ? true : false>();
holds<Same<keyof Collections, 'blog-posts' | 'references'>>();
holds<Same<Front['title'], string | null>>();

const least: BlogPostInput = { title: 'x', part: { text: 'x' } };
export async function use(): Promise<void> {
  const { data } = await client.collection('blog-posts').find({ populate: '*' });
  for (const { title, parent, zone } of data) void [title, parent?.mood, zone?.[0]?.__component, zone?.[0]?.text];
  const made = await client.collection('blog-posts').create({ ...least, tags: { connect: [{ id: 3, position: { start: true } }] } });
  await client.collection('blog-posts').update(made.data.documentId, { parent: null, pins: [{ __type: 'api::reference.reference', id: 3 }] });
  await client.single('front').update({ title: 'x' });
  await client.fetch('/references');
  // @ts-expect-error -- no such collection
  client.collection('blog-post');
  // @ts-expect-error -- a misspelt attribute
  await client.collection('blog-posts').update('x', { titel: 'x' });
  // @ts-expect-error -- what is required is missing
  await client.collection('blog-posts').create({ title: 'x' });
}
`;

describe('npx nestjs-content-api types', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'content-types-'));
    await symlink(MODULES, join(folder, 'node_modules'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('writes types that compile, alone and with the client that uses them', async () => {
    await writeFile(join(folder, 'types.d.ts'), TEXT);
    await writeFile(join(folder, 'use.ts'), USE);
    const options = { strict: true, noEmit: true, types: [], lib: ['lib.es2024.d.ts', 'lib.dom.d.ts'] };
    const program = ts.createProgram([join(folder, 'use.ts'), join(folder, 'types.d.ts')], {
      ...options,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2024,
    });
    const problems = ['use.ts', 'types.d.ts'].flatMap((name) =>
      ts.getPreEmitDiagnostics(program, program.getSourceFile(join(folder, name))),
    );
    const said = problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(said).toEqual([]);
  });

  it('finds the model without a database, and writes a file', async () => {
    await writeFile(
      join(folder, 'module.ts'),
      `import { ContentModule, defineCollectionType } from 'nestjs-content-api';
       const note = defineCollectionType({ singularApiId: 'note', pluralApiId: 'notes', attributes: { text: { type: 'text' } } });
       export class AppModule {}
       export default { module: AppModule, imports: [ContentModule.forRoot({ contentTypes: [note], database: { clientUrl: 'postgres://nowhere:1/none' } })] };`,
    );
    const reference = `${join(folder, 'module.ts')}#default`;
    const around = { env: {}, say: () => undefined };
    const printed = await run(['types', '--module', reference], around);
    expect(printed).toContain('export type Note = {');
    const file = join(folder, 'content.d.ts');
    expect(await run(['types', '--module', reference, '--out', file], around)).toBe(
      `${file}: 2 types, 0 components`,
    );
    expect(await readFile(file, 'utf8')).toBe(`${printed}\n`);
  });

  it('requires a module', async () => {
    await expect(run(['types'], { env: {}, say: () => undefined })).rejects.toThrow('Give --module');
  });
});
