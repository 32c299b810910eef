/**
 * `npm run adopt:demo [-- --seed N]`: a generated project of Strapi moves in by the command. Prints what the
 * command prints, its report, and some responses. Needs no network.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type * as CommandRoom from '../../src/module/command-line.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { loadRoom } from '../support/rooms.ts';
import { adoptedModel, startAdopted } from './app.ts';
import { compare } from './compare.ts';
import { archiveOf } from './generator/archive.ts';
import { worldOf } from './generator/content.ts';
import { sealed } from './generator/tar.ts';

const { run } = await loadRoom<typeof CommandRoom>('module/command-line');

const { values } = parseArgs({ options: { seed: { type: 'string', default: '5' } } });
const say = (line: string): void => console.log(line);
const server = await startPostgres();
process.env['TEST_DATABASE_URL'] = server.url;
const folder = await mkdtemp(join(tmpdir(), 'adopt-demo-'));
const file = join(folder, 'export.tar.gz.enc');
const world = worldOf(Number(values.seed), 'v5');
await writeFile(file, sealed(archiveOf(world, Number(values.seed)), '.tar.gz.enc', 'secret'));

say('# npx nestjs-content-api adopt export.tar.gz.enc --key secret --out src/content');
const [out, report, work] = ['content', 'report', 'work'].map((name) => join(folder, name));
if (out === undefined || report === undefined || work === undefined) throw new Error('no folder');
const args = ['adopt', file, '--key', 'secret', '--out', out, '--report', report, '--work', work];
say((await run(args, { env: {}, say })).replaceAll(folder, ''));
say(`\nWritten: ${(await readdir(out, { recursive: true })).join(', ')}`);
say(`\n${(await readFile(`${report}.md`, 'utf8')).replaceAll(folder, '').slice(0, 3000)}`);

say('# npx nestjs-content-api adopt export.tar.gz.enc --key secret --module dist/app.module.js#AppModule');
const host = await startAdopted(await adoptedModel(file, 'secret'));
say(await host.adopt(file, '--key', 'secret'));
const [type] = world.model.types.filter(({ isSingle }) => !isSingle);
const path = `/api/${type?.plural ?? ''}?populate=*&pagination[limit]=1&status=draft`;
say(
  `\n# GET ${path}\n${JSON.stringify(await (await fetch(host.url + path)).json(), null, 2).slice(0, 2000)}`,
);
const { answers, differences } = await compare(host, world);
say(`\n${answers} responses compared with the content of the project, ${differences.length} differences`);
await host.close();
await server.stop();
await rm(folder, { recursive: true, force: true });
process.exitCode = differences.length === 0 ? 0 : 1;
