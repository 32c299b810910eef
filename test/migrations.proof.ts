/** Follows docs/migrations.md exactly, in a new project, and checks the data after every step. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { transformFileSync, transformSync } from '@swc/core';
import { ContentModule, type ContentModel } from 'nestjs-content-api';
import supertest from 'supertest';
import { startHost } from './http/helpers.ts';
import { createDatabase, type TestDatabase } from './support/database.ts';
import { SWC } from './support/swc-options.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/migrations.md'), 'utf8');

/** Step of the page: the kind of its fenced block, and its text. */
interface Step {
  readonly kind: string;
  readonly text: string;
}

const example = PAGE.split('## A worked example')[1]?.split('\n## ')[0] ?? '';
const steps: readonly Step[] = [...example.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(
  ([, kind = '', text = '']) => ({ kind, text }),
);

/** Project as the page assumes it: this package and its dependencies are installed, `dist` is the build. */
class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'content-project-'));
  /** Output of the commands. */
  readonly said: string[] = [];
  private readonly source = new Map<string, string>();

  constructor(private readonly database: TestDatabase) {
    const manifest = { name: 'project', type: 'module', devDependencies: { '@mikro-orm/cli': '*' } };
    this.write('package.json', JSON.stringify(manifest));
    const modules = join(this.folder, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(join(ROOT, 'node_modules')))
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    this.install(join(modules, 'nestjs-content-api'));
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  /** Stores a TypeScript file for the next build. */
  edit(file: string, text: string): void {
    this.source.set(file, text);
  }

  async run(commands: string): Promise<void> {
    for (const command of commands.trim().split('\n')) {
      if (command.startsWith('npm install')) continue;
      if (command === 'npx nest build') this.build();
      else this.said.push(await this.npx(command));
    }
  }

  private build(): void {
    for (const [file, text] of this.source)
      this.write(`dist/${file.replace(/\.ts$/, '.js')}`, transformSync(text, SWC).code);
  }

  private async npx(command: string): Promise<string> {
    const [npx, program = '', ...args] = command.split(' ');
    expect(npx).toBe('npx');
    const env = {
      ...process.env,
      DATABASE_URL: this.database.url,
      NODE_OPTIONS: '',
      NO_COLOR: '1',
      // Caches compiled code for a dozen processes that load the same modules.
      NODE_COMPILE_CACHE: join(this.folder, 'compiled'),
      // Everything is built. Support for TypeScript would take three quarters of the start of each process.
      MIKRO_ORM_CLI_PREFER_TS: '0',
    };
    const bin = join(this.folder, 'node_modules/.bin', program);
    const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args], { cwd: this.folder, env });
    return stdout;
  }

  /** Replaces the content of the newest migration by that of the page. */
  fill(text: string): void {
    const newest = readdirSync(join(this.folder, 'migrations')).sort().at(-1) ?? '';
    this.write(join('migrations', newest), text);
  }

  /** Loads the current model for an application. */
  async model(): Promise<ContentModel> {
    const copy = `dist/model-${this.said.length}.js`;
    cpSync(join(this.folder, 'dist/content.model.js'), join(this.folder, copy));
    return ((await import(pathToFileURL(join(this.folder, copy)).href)) as { model: ContentModel }).model;
  }

  private install(target: string): void {
    for (const file of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const built = join(target, 'dist', file.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(built), { recursive: true });
      writeFileSync(built, transformFileSync(join(ROOT, 'src', file), SWC).code);
    }
    cpSync(join(ROOT, 'package.json'), join(target, 'package.json'));
  }
}

/**
 * Returns the file of a TypeScript block: the second block is the configuration, all others are the model.
 */
const fileOf = (text: string): string =>
  text.includes('defineConfig') ? 'mikro-orm.config.ts' : 'content.model.ts';

async function follow(project: Project, next: readonly Step[]): Promise<void> {
  for (const { kind, text } of next) {
    if (kind === 'ts') project.edit(fileOf(text), text);
    else if (kind === 'js') project.fill(text);
    else await project.run(text);
  }
}

describe('docs/migrations.md', () => {
  let database: TestDatabase;
  let project: Project;
  beforeAll(async () => {
    database = await createDatabase();
    project = new Project(database);
  });
  afterAll(async () => {
    rmSync(project.folder, { recursive: true, force: true });
    await database.drop();
  });

  const serve = async <T>(work: (http: ReturnType<typeof supertest.agent>) => Promise<T>): Promise<T> => {
    const model = await project.model();
    const access = { public: { '*': '*' as const } };
    const content = ContentModule.forRoot({ ...model, access, database: { clientUrl: database.url } });
    const host = await startHost(() => ({ imports: [content] }), { database });
    try {
      return await work(supertest.agent(host.url));
    } finally {
      await host.close();
    }
  };

  it('M12, M2, S4: the worked example keeps all data, and leaves nothing to migrate', async () => {
    const added = steps.findIndex(({ text }) => text.includes('subtitle'));
    const renamed = steps.findIndex(({ text }) => text.includes('headline'));
    expect([steps.length, added, renamed]).toEqual([12, 4, 8]);

    await follow(project, steps.slice(0, added));
    const made = await serve(async (http) => {
      const data = { title: 'One', seo: { metaTitle: 'mone' } };
      return (await http.post('/api/articles?populate=seo').send({ data }).expect(201)).body.data;
    });

    await follow(project, steps.slice(added, renamed));
    await serve(async (http) => {
      const { body } = await http.put(`/api/articles/${made.documentId}`).send({ data: { title: 'Two' } });
      expect(body.data).toMatchObject({ title: 'Two', subtitle: 'Untold' });
    });

    await follow(project, steps.slice(renamed));
    await serve(async (http) => {
      const { body } = await http.get('/api/articles?populate=*').expect(200);
      expect(body.data).toMatchObject([
        { headline: 'Two', subtitle: 'Untold', seo: { id: made.seo.id, pageTitle: 'mone' } },
      ]);
    });
    expect(
      project.said.filter((line) => line.includes('No changes required, schema is up-to-date')).length,
    ).toBeGreaterThan(2);
    // A dozen processes load MikroORM.
  });
});
