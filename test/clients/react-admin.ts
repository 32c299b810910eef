/** Actions of an editor in an application with react-admin, and calls of its data provider. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Admin, openAdmin } from './browser.ts';
import type { Check } from './check.ts';
import type { Blog } from './server.ts';

const EDITOR = { username: 'editor', email: 'editor@example.com', password: 'a long password' };
const RECORD = 'tbody tr';

export async function reactAdmin({ origin, api }: Blog): Promise<Check[]> {
  let admin: Admin | undefined;
  const page = () => {
    assert.ok(admin, 'the application is open');
    return admin.page;
  };
  const rows = (): Promise<string[]> => page().$$eval(RECORD, (all) => all.map((one) => one.innerText));
  const untilRows = async (is: (texts: readonly string[]) => boolean): Promise<void> => {
    for (let tries = 0; tries < 100; tries += 1) {
      if (is(await rows())) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    assert.fail(`rows are ${JSON.stringify(await rows())}`);
  };
  const fill = async (name: string, value: string): Promise<void> => {
    const input = await page().waitForSelector(`input[name="${name}"]`);
    await input?.click({ count: 3 });
    await input?.type(value);
  };
  // A locator finds the element again if React replaces it before the click.
  const press = (text: string, role = 'button'): Promise<void> =>
    page().locator(`::-p-aria([name="${text}"][role="${role}"])`).click();
  const open = (id: string) => page().evaluate(`location.hash = '#/products/${id}'`);
  /** Calls the data provider in the page. */
  const ask = (method: string, ...args: unknown[]): Promise<any> =>
    page().evaluate(
      (name, params) => (globalThis as any).dataProvider[name](...params),
      method,
      args as never[],
    );

  return [
    [
      'signs in',
      async () => {
        const headers = { 'Content-Type': 'application/json' };
        await fetch(`${api}/auth/local/register`, { method: 'POST', headers, body: JSON.stringify(EDITOR) });
        admin = await openAdmin(origin);
        await fill('email', EDITOR.email);
        await fill('password', EDITOR.password);
        await page().click('button[type=submit]');
        await untilRows((texts) => texts.length === 3);
        assert.match((await rows()).join(), /Ann/);
      },
    ],
    [
      'lists, filters and sorts',
      async () => {
        await fill('name_contains', 'Chair');
        await untilRows((texts) => texts.length === 1 && /Chair/.test(texts[0] ?? ''));
        await fill('name_contains', 'a');
        await untilRows((texts) => texts.length === 3);
        await page().click('th [data-field="price"]');
        await untilRows(([first = '']) => first.includes('Lamp'));
      },
    ],
    [
      'creates with a relation, edits and deletes',
      async () => {
        await page().click('a[aria-label="Create"]');
        await fill('name', 'Shelf a');
        await fill('price', '7.5');
        await page().locator('input[name="maker"]').click();
        await press('Ann', 'option');
        await page().click('button[type=submit]');
        await untilRows((texts) => texts.some((text) => /Shelf a.*7.5.*Ann/s.test(text)));
        const [shelf] = (await ask('getList', 'products', { filter: { name_eq: 'Shelf a' } })).data;
        await open(shelf.id as string);
        await fill('name', 'Bookshelf a');
        await press('Save');
        await untilRows((texts) => texts.some((text) => text.includes('Bookshelf a')));
        await open(shelf.id as string);
        await press('Delete');
        await page().locator('.ra-confirm').click();
        await untilRows((texts) => texts.length === 3);
        await page().screenshot({ path: join(mkdtempSync(join(tmpdir(), 'content-admin-')), 'list.png') });
      },
    ],
    [
      'getMany, getManyReference, deleteMany',
      async () => {
        const { data: authors } = await ask('getList', 'authors', { sort: { field: 'name', order: 'ASC' } });
        const [ann] = authors;
        assert.equal(
          (await ask('getMany', 'authors', { ids: authors.map(({ id }: any) => id) })).data.length,
          2,
        );
        const pages = { pagination: { page: 1, perPage: 10 }, sort: { field: 'price', order: 'DESC' } };
        const made = { target: 'maker', id: ann.id, filter: {}, ...pages };
        const { data, total } = await ask('getManyReference', 'products', made);
        assert.deepEqual([total, data[0].name], [2, 'Table']);
        const twin = await ask('create', 'products', { data: { name: 'Twin', maker: ann.id } });
        await ask('deleteMany', 'products', { ids: [twin.data.id] });
      },
    ],
    [
      'signs out where its token is no longer good',
      async () => {
        await page().evaluate(() => localStorage.setItem('strapi_jwt', 'spoilt'));
        await page().reload();
        await page().waitForSelector('input[name="password"]');
        await admin?.close();
      },
    ],
  ];
}
