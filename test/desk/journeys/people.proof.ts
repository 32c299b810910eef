/** Journeys of an administrator in the people screens: users, roles, API tokens and their own account. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import { hasBrowser, launch, type Opened, openPage } from './browser.ts';
import { Editor } from './editor.ts';
import { type Newsroom, startNewsroom } from './newsroom.ts';
import { checkViews } from './views.ts';

const PASSWORD = 'a long password of an editor';

let room: Newsroom;
let browser: Browser;

beforeAll(async () => {
  if (!hasBrowser) return;
  const critic = { author: ['find'], article: [{ actions: ['update'], fields: ['title', 'lead'] }] } as const;
  room = await startNewsroom('fastify', { roles: { critic } });
  browser = await launch();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await room?.close();
});

(hasBrowser ? describe : describe.skip)('people at the desk', () => {
  const pages: Opened[] = [];
  let eva: Editor;
  let bens: Editor;

  /** Opens the desk in a browser without a session. */
  async function arrive(): Promise<Editor> {
    const opened = await openPage(await browser.createBrowserContext(), room.url);
    pages.push(opened);
    return new Editor(opened.page, room.desk);
  }
  /** Token of a user for requests to the API. */
  const tokenOf = async (identifier: string, password = PASSWORD): Promise<string> =>
    (await room.http.post('/desk/session').send({ identifier, password }).expect(200)).body.jwt;
  const choose = async (editor: Editor, field: string, option: string): Promise<void> => {
    await editor.page.locator(`::-p-aria([name="${field}"][role="combobox"])`).click();
    await editor.option(option);
  };
  const act = async (name: string, action: string): Promise<void> => {
    await eva.press(`Actions for ${name}`);
    await eva.item(action);
  };
  const confirm = async (label: string): Promise<void> => {
    await eva.page.locator(`[role=dialog] ::-p-aria([name="${label}"][role="button"])`).click();
    await eva.until('closed dialog', async () => (await eva.page.$$('[role=dialog]')).length === 0);
  };

  beforeAll(async () => {
    eva = await arrive();
    await eva.acceptInvitation(await room.invite('eva@example.org', 'chief'), PASSWORD);
  }, 60_000);
  afterEach(() => expect(pages.flatMap(({ complaints }) => complaints.splice(0))).toEqual([]));

  it('invites a colleague by a link, who then signs in', async () => {
    await eva.follow('Users');
    await eva.heading('Users');
    await eva.press('Invite a user');
    await eva.fill('User name', 'ben');
    await eva.fill('E-mail', 'ben@example.org');
    await eva.page.locator('::-p-aria([name="Role"][role="combobox"])').click();
    // Accounts with other roles cannot be invited.
    await eva.until('roles', async () => (await eva.texts('[role=option]')).includes('Writer'));
    const offered = await eva.texts('[role=option]');
    expect(offered).toContain('Chief');
    for (const role of ['Reader', 'Public']) expect(offered).not.toContain(role);
    await eva.option('Writer');
    await eva.press('Create and show the link');
    await eva.sees('Invitation for ben');
    const link = await eva.valueOf('Invitation link');
    expect(link).toMatch(/\/desk\/invitation#[\w-]{43}$/);
    await eva.press('Close');
    await eva.sees('ben@example.org');
    bens = await arrive();
    await bens.acceptInvitation(link, PASSWORD);
  });

  it('shows no people to a colleague without the permissions, and the API refuses', async () => {
    expect(await bens.text()).not.toMatch(/API tokens|Users|Roles/);
    for (const path of ['/people/users', '/people/roles', '/people/tokens', '/people/roles/x']) {
      await bens.openAnew(path);
      await bens.heading('This page does not exist.');
    }
    const jwt = await tokenOf('ben');
    for (const path of ['/api/users', '/desk/roles', '/api/users-permissions/roles', '/api/api-tokens'])
      await room.http.get(path).set('Authorization', `Bearer ${jwt}`).expect(403);
  });

  it('finds a user by name, and gives another role', async () => {
    await room.invite('another@example.org', 'reader').catch(() => undefined);
    await eva.open('/people/users');
    await eva.fill('Search in users', 'ben');
    await eva.until('one user', async () => (await eva.texts('tbody tr')).length === 1);
    await act('ben', 'Change role');
    await choose(eva, 'Role', 'Editor');
    await confirm('Save');
    await eva.until('role', async () => (await eva.texts('tbody tr'))[0]?.includes('Editor') === true);
    await bens.openAnew('/content/author');
    await bens.follow('Create');
  });

  it('leaves the role that another editor gives while the dialog is open', async () => {
    const give = (type: string): Promise<unknown> =>
      room.sql(
        `update content_users set role_document_id = (select document_id from content_roles where type = '${type}')
         where username = 'ben'`,
      );
    await eva.open('/people/users');
    await eva.fill('Search in users', 'ben');
    await eva.until('one user', async () => (await eva.texts('tbody tr')).length === 1);
    await act('ben', 'Change role');
    await eva.page.waitForSelector('[role=dialog]');
    await give('writer');
    await confirm('Save');
    await eva.until('role', async () => (await eva.texts('tbody tr'))[0]?.includes('Writer') === true);
    await give('editor');
  });

  it('refuses a taken name, and says so in the dialog', async () => {
    await eva.open('/people/users');
    await eva.press('Invite a user');
    await eva.fill('User name', 'ben');
    await eva.fill('E-mail', 'other@example.org');
    await choose(eva, 'Role', 'Writer');
    await eva.press('Create and show the link');
    await eva.sees('Another user already has this name.');
    await eva.fill('User name', 'bo');
    await eva.press('Create and show the link');
    await eva.sees('User name: At least 3 characters');
    await eva.press('Cancel');
  });

  it('ends all sessions of a user, who signs in again', async () => {
    await act('ben', 'End all sessions');
    await eva.sees('End all sessions of ben?');
    await confirm('End all sessions');
    await eva.sees('All sessions have ended');
    await bens.openAnew('/content/article');
    await bens.sees('Sign in to write and publish.');
    await bens.signIn('ben', PASSWORD);
    await bens.heading('Articles');
  });

  it('blocks a user, whose access ends at once, and unblocks', async () => {
    await act('ben', 'Block');
    await confirm('Block');
    await eva.sees('Blocked');
    await bens.openAnew('/content/article');
    await bens.sees('Sign in to write and publish.');
    await bens.signIn('ben', PASSWORD);
    await bens.sees('This account is blocked. Ask an administrator.');
    await act('ben', 'Unblock');
    await eva.seesNot('Blocked');
    await bens.press('Sign in');
    await bens.heading('Articles');
  });

  it('makes a new invitation link for a user who forgot the password', async () => {
    await act('ben', 'New invitation link');
    await eva.sees('Invitation for ben');
    const link = await eva.valueOf('Invitation link');
    await eva.press('Close');
    const other = await arrive();
    await other.acceptInvitation(link, 'yet another password');
    await tokenOf('ben', 'yet another password');
  });

  it('reads the grants of a role of the code, and cannot change them', async () => {
    await eva.follow('Roles');
    await eva.heading('Roles');
    await eva.follow('Writer');
    await eva.heading('Writer');
    await eva.sees('The code of the application defines this role.');
    const rows = await eva.texts('tbody tr');
    expect(rows).toContain('Authors' + 'All' + 'All' + '–'.repeat(5));
    expect(await eva.page.$$('input[type=checkbox]')).toEqual([]);
  });

  it('reads the names of types and attributes in grants in its language', async () => {
    await eva.page.evaluate("localStorage.setItem('content-desk language', 'de')");
    await eva.openAnew('/people/roles');
    await eva.follow('Critic');
    await eva.heading('Critic');
    const rows = await eva.texts('tbody tr');
    await eva.page.evaluate("localStorage.removeItem('content-desk language')");
    await eva.openAnew('/people/roles');
    expect(rows).toEqual(['AutorinnenAlle–', 'Artikel–AlleÄndern: Titel, Vorspann']);
  });

  it('creates a role that may open the desk, and a user signs in with it', async () => {
    await eva.open('/people/roles');
    await eva.press('Create a role');
    await eva.fill('Name', 'Archivist');
    await eva.press('Create');
    await eva.follow('Archivist');
    await eva.heading('Archivist');
    for (const grant of ['Open: Desk', 'Read lists: Tags', 'Read one: Tags', 'Read lists: Languages'])
      await eva.check(grant);
    await eva.press('Save');
    await eva.sees('Saved');
    await eva.page.reload();
    await eva.until('stored', async () => (await eva.page.$$('input:checked')).length === 4);
    await eva.open('/people/users');
    await act('ben', 'Change role');
    await choose(eva, 'Role', 'Archivist');
    await confirm('Save');
    const other = await arrive();
    await other.openAnew('/');
    await other.signIn('ben', 'yet another password');
    await other.heading('Tags');
    expect(await other.text()).not.toContain('Articles');
  });

  it('creates an API token, which is shown once and works', async () => {
    await eva.follow('API tokens');
    await eva.sees('No API tokens yet.');
    await eva.sees('A token lets a program');
    await eva.press('Create an API token');
    await eva.fill('Name', 'website');
    await choose(eva, 'Kind', 'Custom');
    await eva.check('Read lists: Authors');
    await eva.press('Create');
    await eva.sees('It is shown only once.');
    const token = await eva.valueOf('Token');
    await eva.press('Close');
    await eva.sees('website');
    expect(await eva.page.content()).not.toContain(token);
    const get = (path: string) => room.http.get(path).set('Authorization', `Bearer ${token}`);
    await get('/api/authors').expect(200);
    await get('/api/articles').expect(403);
    await act('website', 'New secret');
    await eva.page.locator('[role=dialog] ::-p-aria([name="New secret"][role="button"])').click();
    await eva.sees('It is shown only once.');
    expect(await eva.valueOf('Token')).not.toBe(token);
    await eva.press('Close');
    await get('/api/authors').expect(401);
    expect(await eva.texts('.desk-status')).toEqual([]);
    await room.sql(`update content_api_tokens set expires_at = now() - interval '1 day'`);
    await eva.open('/people/users');
    await eva.open('/people/tokens');
    await eva.sees('Expired');
    await act('website', 'Delete');
    await confirm('Delete');
    await eva.sees('No API tokens yet.');
  });

  it('changes its own password, stays signed in, and ends the other sessions', async () => {
    const other = await arrive();
    await other.openAnew('/');
    await other.signIn('eva@example.org', PASSWORD);
    await other.heading('Articles');
    await eva.press('Account');
    await eva.item('Password and sessions');
    await eva.heading('Password and sessions');
    await eva.sees('This session');
    await eva.fill('Current password', 'wrong');
    await eva.fill('New password', 'a new password of eva');
    await eva.fill('Repeat the new password', 'a new password of eva');
    await eva.press('Change password');
    await eva.sees('The current password is wrong');
    await eva.fill('Current password', PASSWORD);
    await eva.press('Change password');
    await eva.sees('The password is changed.');
    await eva.follow('Users');
    await eva.sees('ben@example.org');
    await other.openAnew('/');
    await other.sees('Sign in to write and publish.');
  });

  it('sees its own sessions, and ends another one', async () => {
    const other = await arrive();
    await other.openAnew('/');
    await other.signIn('eva@example.org', 'a new password of eva');
    await other.heading('Articles');
    await eva.open('/account');
    await eva.until('two sessions', async () => (await eva.text()).split('Last used').length === 3);
    await eva.page.locator('::-p-text(End this session)').click();
    await eva.until('one session', async () => (await eva.text()).split('Last used').length === 2);
    await other.openAnew('/');
    await other.sees('Sign in to write and publish.');
  });

  it('ends all other sessions, although one of them has ended meanwhile', async () => {
    const [first] = await Promise.all(
      [1, 2, 3].map(() => tokenOf('eva@example.org', 'a new password of eva')),
    );
    await eva.openAnew('/account');
    await eva.until('four sessions', async () => (await eva.text()).split('Last used').length === 5);
    const own = { Authorization: `Bearer ${first}` };
    const { body } = await room.http.get('/desk/account/sessions').set(own).expect(200);
    const { id } = body.data.find((one: { current: boolean }) => one.current);
    await room.http.delete(`/desk/account/sessions/${id}`).set(own).expect(204);
    await eva.press('End all other sessions');
    await eva.until('one session', async () => (await eva.text()).split('Last used').length === 2);
    expect(await eva.texts('[role=alert]')).toEqual([]);
  });

  it('works by keyboard alone: invites a colleague, and gives another role', async () => {
    const { keyboard } = eva.page;
    await eva.open('/content/article');
    await eva.page.evaluate('document.activeElement.blur()');
    await eva.reach('Users');
    await keyboard.press('Enter');
    await eva.heading('Users');
    await eva.reach('Invite a user');
    await keyboard.press('Enter');
    await eva.sees('Create and show the link');
    await eva.reach('User name');
    await keyboard.type('dora');
    await eva.reach('E-mail');
    await keyboard.type('dora@example.org');
    await eva.reach('Role');
    await keyboard.press('ArrowDown');
    await keyboard.type('Writer');
    await eva.until('options', async () => (await eva.texts('[role=option]')).includes('Writer'));
    await eva.pick('Writer');
    await eva.reach('Create and show the link');
    await keyboard.press('Enter');
    await eva.sees('Invitation for dora');
    await keyboard.press('Escape');
    await eva.sees('dora@example.org');
    await eva.reach('Actions for dora');
    await keyboard.press('Enter');
    await eva.until('menu', async () => (await eva.texts('[role=menuitem]')).includes('Change role'));
    await eva.until('focused item', async () => {
      if ((await eva.focused()) === 'Change role') return true;
      await keyboard.press('ArrowDown');
      return false;
    });
    await keyboard.press('Enter');
    await eva.until('dialog', async () => (await eva.page.$$('[role=dialog]')).length === 1);
    await eva.reach('Role');
    await keyboard.press('ArrowDown');
    await eva.pick('Editor');
    await eva.reach('Save');
    await keyboard.press('Enter');
    await eva.until('role', async () =>
      (await eva.texts('tbody tr')).some((row) => row.includes('dora') && row.includes('Editor')),
    );
  });

  it('accepts an invitation in the browser of another user, whose session is replaced', async () => {
    const third = await arrive();
    await third.acceptInvitation(await room.invite('kai@example.org', 'chief'), PASSWORD);
    await third.acceptInvitation(await room.invite('lea@example.org', 'writer'), PASSWORD);
    await third.seesNot('Users');
    await third.open('/account');
    await third.sees('lea@example.org');
  });

  it('finds the way to the sign-in from an invitation that was accepted before', async () => {
    const link = await room.invite('max@example.org', 'writer');
    await (await arrive()).acceptInvitation(link, PASSWORD);
    const other = await arrive();
    await other.page.goto(link);
    await other.fill('New password', PASSWORD);
    await other.press('Set password and sign in');
    await other.sees('This link has already been used, or has expired.');
    await other.follow('Go to sign-in');
    await other.signIn('max@example.org', PASSWORD);
    await other.heading('Articles');
  });

  it('deletes a user after a question', async () => {
    await eva.open('/people/users');
    await act('ben', 'Delete');
    await eva.sees('Delete “ben”?');
    await confirm('Delete');
    await eva.seesNot('ben@example.org');
    await sleep(50);
    const body = { identifier: 'ben', password: 'yet another password' };
    await room.http.post('/desk/session').send(body).expect(400);
  });
});

(hasBrowser ? describe : describe.skip)('every people screen', () => {
  let opened: Opened;
  let eva: Editor;

  beforeAll(async () => {
    opened = await openPage(await browser.createBrowserContext(), room.url);
    eva = new Editor(opened.page, room.desk);
    await eva.acceptInvitation(await room.invite('fay@example.org', 'chief'), PASSWORD);
    for (const [name, role] of [
      ['ann.weber', 'editor'],
      ['ben.okafor.of.the.very.long.name', 'writer'],
      ['carla', 'writer'],
    ] as const)
      await room.invite(`${name}@example.org`, role);
    await room.sql(`update content_users set blocked = true where username = 'carla'`);
    const body = { identifier: 'fay@example.org', password: PASSWORD };
    const { jwt } = (await room.http.post('/desk/session').send(body).expect(200)).body;
    const post = (path: string, data: object) =>
      room.http.post(path).set('Authorization', `Bearer ${jwt}`).send(data);
    await post('/api/users-permissions/roles', { name: 'Archivist', description: 'Keeps the tags.' });
    await post('/api/api-tokens', { data: { name: 'website', kind: 'read-only', days: 90 } }).expect(201);
    await post('/api/api-tokens', { data: { name: 'importer', kind: 'full-access' } }).expect(201);
  }, 120_000);
  const SCREENS: readonly (readonly [string, () => Promise<void>])[] = [
    ['users', () => eva.open('/people/users')],
    [
      'user-menu',
      async () => {
        await eva.open('/people/users');
        await eva.press('Actions for ann.weber');
      },
    ],
    [
      'invite',
      async () => {
        await eva.open('/people/users');
        await eva.press('Invite a user');
      },
    ],
    [
      'link',
      async () => {
        await eva.open('/people/users');
        await eva.press('Actions for ann.weber');
        await eva.item('New invitation link');
        await eva.sees('Invitation for ann.weber');
      },
    ],
    [
      'question',
      async () => {
        await eva.open('/people/users');
        await eva.press('Actions for ann.weber');
        await eva.item('Delete');
        await eva.sees('Delete “ann.weber”?');
      },
    ],
    ['roles', () => eva.open('/people/roles')],
    [
      'role-code',
      async () => {
        await eva.open('/people/roles');
        await eva.follow('Writer');
        await eva.heading('Writer');
      },
    ],
    [
      'role-database',
      async () => {
        await eva.open('/people/roles');
        await eva.follow('Archivist');
        await eva.heading('Archivist');
        await eva.sees('Discard unsaved changes');
      },
    ],
    ['tokens', () => eva.open('/people/tokens')],
    [
      'token-new',
      async () => {
        await eva.open('/people/tokens');
        await eva.press('Create an API token');
        await eva.page.locator('::-p-aria([name="Kind"][role="combobox"])').click();
        await eva.option('Custom');
      },
    ],
    ['account', () => eva.open('/account')],
  ];

  it.each(SCREENS)('%s in all views', async (name, visit) => {
    expect(await checkViews(eva.page, `people-${name}`, visit)).toEqual([]);
    expect(opened.complaints.splice(0)).toEqual([]);
  });
});
