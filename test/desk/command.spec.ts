/** `npx nestjs-content-api desk invite`. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import { run } from '../../src/module/command-line.ts';
import type { TestApp } from '../support/app.ts';
import { client, makeBuild, startDesk } from './support.ts';

const APP = join(import.meta.dirname, 'desk-app.ts');

describe('npx nestjs-content-api desk invite', () => {
  let folder: string;
  let test: TestApp;
  beforeAll(async () => {
    folder = await makeBuild();
    test = await startDesk({ folder, adapter: 'express' });
    process.env['DESK_APP_DATABASE'] = String(test.app.get<MikroORM>(CONTENT_ORM).config.get('clientUrl'));
  });
  afterAll(async () => {
    delete process.env['DESK_APP_DATABASE'];
    await test.close();
    await rm(folder, { recursive: true });
  });

  const command = (...args: string[]) => run(['desk', ...args], { env: {}, say: () => undefined });
  const invite = (email: string, ...more: string[]) =>
    command('invite', email, '--module', `${APP}#DeskApp`, ...more);
  const codeIn = (text: string): string => text.split('#')[1] ?? '';

  it('prints a link that works once', async () => {
    const printed = await invite('you@example.org');
    expect(printed).toMatch(
      /^Invitation for you@example\.org\. The link works once, for 7 days:\nhttps:\/\/www\.example\.org\/desk\/invitation#[\w-]{43}$/,
    );
    const given = { code: codeIn(printed), password: 'correct horse' };
    const { body } = await client(test).post('/desk/session/invitation').send(given).expect(200);
    expect(body.user).toMatchObject({ username: 'you', email: 'you@example.org' });
    await client(test).post('/desk/session/invitation').send(given).expect(400);
  });

  it('accepts a role and another address', async () => {
    const printed = await invite(
      'me@example.org',
      '--role',
      'editor',
      '--url',
      'http://localhost:8080/desk/',
    );
    expect(printed).toContain('\nhttp://localhost:8080/desk/invitation#');
  });

  it.each([
    [['invite'], 'Usage: nestjs-content-api desk invite <e-mail>'],
    [['revoke', 'you@example.org'], 'Usage: nestjs-content-api desk invite <e-mail>'],
    [['invite', 'a@example.org', 'b@example.org'], 'Usage: nestjs-content-api desk invite <e-mail>'],
    [['invite', 'a@example.org'], 'Give --module'],
    [['invite', 'a@example.org', '--module', `${APP}#PlainApp`], 'does not import DeskModule'],
    [['invite', 'a@example.org', '--module', `${APP}#DeskApp`, '--role', 'x'], 'Roles that may: "editor"'],
    [['invite', 'nobody', '--module', `${APP}#DeskApp`], 'email must be a valid email'],
  ])('rejects %j', async (args, message) => {
    await expect(command(...args)).rejects.toThrow(message);
  });

  it('is listed by --help', async () => {
    expect(await run(['--help'], { env: {}, say: () => undefined })).toContain('desk invite <e-mail>');
  });
});
