/** `npx nestjs-content-api user create`, in its own process and with a user who answers. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import { UsersModule } from 'nestjs-content-api/accounts';
import { run } from '../../src/module/command-line.ts';
import type { Terminal } from '../../src/module/terminal.ts';
import { processTerminal } from '../../src/module/terminal.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes, EDITORS, SECRET } from './helpers.ts';

const APP = join(import.meta.dirname, 'user-app.ts');
const PASSWORD = 'a long password';

/** User who gives these answers, in this order. */
class Answers implements Terminal {
  readonly isInteractive = true;
  readonly asked: (readonly [question: string, isSecret: boolean])[] = [];
  private readonly answers: string[];
  constructor(...answers: string[]) {
    this.answers = answers;
  }
  async ask(question: string, isSecret = false): Promise<string> {
    this.asked.push([question, isSecret]);
    return this.answers.shift() ?? '';
  }
}

const input = (line: string): Terminal => ({ isInteractive: false, ask: async () => line });

describe('npx nestjs-content-api user create', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({
      contentTypes,
      access: { roles: EDITORS },
      imports: [UsersModule.forRoot({ secret: SECRET })],
    });
    process.env['USER_APP_DATABASE'] = String(test.app.get<MikroORM>(CONTENT_ORM).config.get('clientUrl'));
  });
  afterAll(async () => {
    delete process.env['USER_APP_DATABASE'];
    await test.close();
  });

  const create = (terminal: Terminal, ...args: string[]) =>
    run(['user', 'create', '--module', `${APP}#UserApp`, ...args], {
      env: {},
      say: () => undefined,
      terminal,
    });
  const signIn = (identifier: string, password: string) =>
    test.http.post('/api/auth/local').send({ identifier, password });

  it('asks for every value, hides the password, and offers the roles', async () => {
    const answers = new Answers('ann@example.org', '', 'editor', PASSWORD);
    expect(await create(answers)).toBe('User "ann" (ann@example.org) has the role "editor" and can sign in.');
    expect(answers.asked).toEqual([
      ['E-mail: ', false],
      ['Name [ann]: ', false],
      ['Role (authenticated, editor) [authenticated]: ', false],
      ['Password: ', true],
    ]);
    const { body } = await signIn('ann', PASSWORD).expect(200);
    await test.http
      .post('/api/notes')
      .set('authorization', `Bearer ${String(body.jwt)}`)
      .send({ data: { title: 'x' } })
      .expect(201);
  });

  it('accepts options, and the password from the standard input', async () => {
    await create(input(PASSWORD), '--email', 'bob@example.org', '--name', 'Bobby');
    const { body } = await signIn('bob@example.org', PASSWORD).expect(200);
    expect(body.user).toMatchObject({ username: 'Bobby', confirmed: true, blocked: false });
  });

  it('reads one line of the standard input of a process', async () => {
    const stdin = (lines: string): Promise<string> => {
      const source = Object.assign(spawn('printf', [lines]).stdout, { isTTY: false });
      return processTerminal({ stdin: source, stderr: process.stderr } as unknown as NodeJS.Process).ask('x');
    };
    expect(await stdin('secret\\nmore\\n')).toBe('secret');
    expect(await stdin('secret')).toBe('secret');
    expect(await stdin('')).toBe('');
  });

  it.each([
    [['--email', 'eve'], PASSWORD, 'email must be a valid email'],
    [['--email', 'eve@example.org', '--role', 'editr'], PASSWORD, 'There is no role "editr" for users'],
    [['--email', 'eve@example.org', '--role', 'public'], PASSWORD, 'Roles: "authenticated", "editor"'],
    [['--email', 'eve@example.org'], '', 'password is a required field'],
    [['--email', 'eve@example.org'], 'short', 'password must be at least 6 characters'],
    [['--email', 'ann@example.org', '--name', 'other'], PASSWORD, 'A user has this name or e-mail address'],
    [[], PASSWORD, 'user create needs --email'],
    [['now'], PASSWORD, 'Usage: nestjs-content-api user create'],
  ])('rejects %j with the password "%s"', async (args, password, message) => {
    await expect(create(input(password), ...args)).rejects.toThrow(message);
  });

  it('needs a module that imports UsersModule', async () => {
    const surroundings = { env: {}, say: () => undefined, terminal: input(PASSWORD) };
    await expect(run(['user', 'create'], surroundings)).rejects.toThrow('Give --module');
    const args = ['user', 'create', '--module', `${APP}#PlainApp`];
    await expect(run(args, surroundings)).rejects.toThrow('does not import UsersModule');
  });

  it.each([
    [['token', 'list', '--module', `${APP}#PlainApp`], 'does not import ApiTokensModule'],
    [['files', 'check', '--module', `${APP}#PlainApp`], 'does not import FilesModule'],
    [['check', '--module', 'dist/none.js'], /^There is no .*dist\/none\.js: build your application first$/],
    [['tokens', 'list'], /^There is no command "tokens"; did you mean "token"\?\n\nUsage: /],
  ])('names the mistake of %j', async (args, message) => {
    await expect(run(args, { env: {}, say: () => undefined })).rejects.toThrow(message);
  });
});
