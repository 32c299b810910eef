import { join } from 'node:path';
import { ApiTokensModule } from 'nestjs-content-api/accounts';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import { runToken as run } from '../../src/module/token-command.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes } from './helpers.ts';

describe('npx nestjs-content-api token', () => {
  let test: TestApp;
  let url: string;
  beforeAll(async () => {
    test = await createTestApp({ contentTypes, imports: [ApiTokensModule] });
    url = String(test.app.get<MikroORM>(CONTENT_ORM).config.get('clientUrl'));
    process.env['TOKEN_APP_DATABASE'] = url;
  });
  afterAll(() => test.close());

  const command = (line: string, ...more: string[]) =>
    run(['token', ...line.split(' '), ...more], { DATABASE_URL: url });
  const use = (token: string) => test.http.get('/api/notes').set('authorization', `Bearer ${token}`);

  it('creates, lists, rotates and revokes in the database of DATABASE_URL', async () => {
    const created = await command('create --name ci --kind read-only --days 30');
    const token = created.split('\n')[1] ?? '';
    await use(token).expect(200);
    expect(await command('list')).toMatch(/read-only {4}expires 20.* last used .* ci$/);
    const rotated = (await command('rotate ci')).split('\n')[1] ?? '';
    await use(token).expect(401);
    await use(rotated).expect(200);
    expect(await command('revoke ci')).toBe('Token "ci" is revoked.');
    await use(rotated).expect(401);
    expect(await command('list')).toBe('There are no tokens.');
  });

  it('knows the types of the given application', async () => {
    const module = `${join(import.meta.dirname, 'token-app.ts')}#TokenApp`;
    const created = await command(
      'create --name notes --kind custom',
      '--grants',
      '{"note":["find"]}',
      '--module',
      module,
    );
    await use(created.split('\n')[1] ?? '').expect(200);
    await expect(
      command('create --name nots --kind custom', '--grants', '{"nots":["find"]}', '--module', module),
    ).rejects.toThrow('"nots" is not a content type; did you mean "note"?');
  });

  it.each([[['--help']], [['-h']], [['token', '--help']], [['token', 'create', '--help']]])(
    'N1: %j prints the usage and exits with 0',
    async (args) => {
      expect(await run(args, {})).toMatch(/^Usage: nestjs-content-api token[^]*--help/);
    },
  );

  it.each([
    ['nothing', []],
    ['an unknown command', ['token', 'destroy']],
    ['an unknown subject', ['user', 'list']],
  ])('prints the usage after %s', async (_name, args) => {
    await expect(run(args, {})).rejects.toThrow(/^Usage: nestjs-content-api token/);
  });

  it.each([
    ['create', 'create needs --name and --kind'],
    ['rotate nobody', 'There is no token "nobody"'],
    ['create --name x --kind custom --grants {', '--grants is not JSON'],
  ])('rejects "%s"', async (line, message) => {
    await expect(command(line)).rejects.toThrow(message);
  });

  it('needs a database', async () => {
    await expect(run(['token', 'list'], {})).rejects.toThrow('Give --module, or set DATABASE_URL');
  });
});
