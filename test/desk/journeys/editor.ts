/** Hands of an editor: finds controls by what a screen reader says, as people do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';

const quoted = (text: string): string => text.replace(/["\\]/g, '\\$&');

export class Editor {
  constructor(
    readonly page: Page,
    readonly desk: string,
  ) {}

  private locator(role: string, name: string) {
    return this.page.locator(`::-p-aria([name="${quoted(name)}"][role="${role}"])`);
  }

  /** Opens a page of the desk, and waits until it shows something. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.desk}${path}`);
    await this.page.waitForSelector('h1, input[type=password]');
    await this.until('loaded', async () => (await this.page.$$('[aria-label=Loading]')).length === 0);
  }

  async acceptInvitation(link: string, password: string): Promise<void> {
    await this.page.goto(link);
    await this.fill('New password', password);
    await this.press('Set password and sign in');
    await this.heading('Articles');
  }

  async signIn(identifier: string, password: string): Promise<void> {
    await this.fill('E-mail or user name', identifier);
    await this.fill('Password', password);
    await this.press('Sign in');
  }

  async press(name: string): Promise<void> {
    try {
      await this.locator('button', name).click();
    } catch (cause) {
      throw new Error(`Not pressed: ${name}. The page shows:\n${await this.text()}`, { cause });
    }
  }

  follow(name: string): Promise<void> {
    return this.locator('link', name).click();
  }

  item(name: string): Promise<void> {
    return this.locator('menuitem', name).click();
  }

  option(name: string): Promise<void> {
    return this.locator('option', name).click();
  }

  check(name: string): Promise<void> {
    return this.locator('checkbox', name).click();
  }

  /** Replaces the text of a field. */
  async fill(name: string, text: string): Promise<void> {
    const field = this.page.locator(
      `::-p-aria([name="${quoted(name)}"][role="textbox"]), ::-p-aria([name="${quoted(name)}"][role="searchbox"])`,
    );
    await field.fill(text);
  }

  /** Adds text at the end of a field, key by key. */
  async type(name: string, text: string): Promise<void> {
    const field = await this.field(name);
    await field.focus();
    await this.page.keyboard.press('End');
    await field.type(text);
  }

  async field(name: string) {
    const selector = `::-p-aria([name="${quoted(name)}"][role="textbox"])`;
    const field = await this.page.waitForSelector(selector);
    if (field === null) throw new Error(`There is no field ${name}`);
    return field;
  }

  async valueOf(name: string): Promise<string> {
    return (await this.field(name)).evaluate((input) => (input as unknown as { value: string }).value);
  }

  /** Chooses a document in the search of a relation. */
  async link(field: string, search: string, title: string): Promise<void> {
    const input = await this.field(field);
    await input.click();
    await input.type(search);
    await this.option(title);
  }

  /** Texts of the elements that a selector finds. */
  texts(selector: string): Promise<string[]> {
    return this.page.$$eval(selector, (all) => all.map((one) => one.textContent?.trim() ?? ''));
  }

  /** Waits until a condition holds. Throws an Error with the text of the page. */
  async until(wanted: string, holds: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + 15_000;
    while (!(await holds().catch(() => false))) {
      if (Date.now() > end) throw new Error(`Not reached: ${wanted}. The page shows:\n${await this.text()}`);
      await sleep(30);
    }
  }

  /** Waits for a heading of the page. */
  heading(text: string): Promise<void> {
    return this.until(`heading "${text}"`, async () => (await this.texts('h1')).includes(text));
  }

  /** Waits until the page shows a text. */
  sees(text: string): Promise<void> {
    return this.until(`"${text}"`, async () => (await this.text()).includes(text));
  }

  seesNot(text: string): Promise<void> {
    return this.until(`no "${text}"`, async () => !(await this.text()).includes(text));
  }

  /** Saves by the keyboard, and waits until everything is saved. */
  async saved(): Promise<void> {
    await this.page.keyboard.down('Control');
    await this.page.keyboard.press('s');
    await this.page.keyboard.up('Control');
    await this.savesItself();
  }

  /** Waits until everything is saved, in the form on the page or in a drawer. */
  savesItself(within = ''): Promise<void> {
    return this.until('saved', async () =>
      (await this.texts(`${within} .desk-savebar [role=status]`)).some((one) => one.startsWith('Saved at')),
    );
  }

  status(text: string): Promise<void> {
    return this.until(`status ${text}`, async () =>
      (await this.texts('.desk-savebar .desk-status')).includes(text),
    );
  }

  /** Text that the page shows. */
  text(): Promise<string> {
    return this.page.$eval('body', (body) => (body as unknown as { innerText: string }).innerText);
  }
}
