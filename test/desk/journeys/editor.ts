/** Hands of an editor: finds controls by what a screen reader says, as people do. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Page, TimeoutError } from 'puppeteer-core';
import { PATIENCE } from './browser.ts';
import { picture } from './picture.ts';

/** Drops or pastes files on an element. It runs in the page. */
const GIVE = `(kind, selector, files) => {
  const data = new DataTransfer();
  for (const { name, type, base64 } of files)
    data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name, { type }));
  const event = kind === 'paste'
    ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
    : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(selector).dispatchEvent(event);
}`;

/** Whether a control can be pressed. It runs in the page. */
const isAvailable = (control: unknown): boolean =>
  (control as { ariaDisabled: string }).ariaDisabled !== 'true';

const quoted = (text: string): string => text.replace(/["\\]/g, '\\$&');

export class Editor {
  constructor(
    readonly page: Page,
    readonly desk: string,
  ) {}

  private locator(role: string, name: string) {
    return this.page.locator(`::-p-aria([name="${quoted(name)}"][role="${role}"])`);
  }

  /**
   * Opens a page of the desk, and waits until it shows something. An open desk shows the page as after a press
   * of a link, which is much faster than a new page.
   */
  async open(path: string): Promise<void> {
    const address = `${this.desk}${path}`;
    const follows = `(() => {
      const isOpen = document.getElementById('content') !== null && location.href !== '${address}';
      if (isOpen) history.pushState(null, '', '${address}');
      return isOpen;
    })()`;
    if ((await this.page.evaluate(follows)) !== true) await this.page.goto(address);
    await this.page.waitForSelector('h1, input[type=password]');
    await this.until('loaded', async () => (await this.page.$$('[aria-label=Loading]')).length === 0);
  }

  /** Waits until no request is under way. Puppeteer can miss the end of one that was held: it then waits for 5 s. */
  async rests(): Promise<void> {
    await this.page.waitForNetworkIdle({ timeout: 5000 }).catch((error: unknown) => {
      if (!(error instanceof TimeoutError)) throw error;
    });
  }

  /** Opens a page of the desk as a new page, without anything of the former one. */
  async openAnew(path: string): Promise<void> {
    await this.page.goto('about:blank');
    await this.open(path);
  }

  /** Name of the element with the focus, as a screen reader says it. */
  focused(): Promise<string> {
    return this.page.evaluate(`(() => {
      const { activeElement: one } = document;
      const label = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent.replace(/ \\*$/, '');
      return (label ?? one.textContent ?? '').trim();
    })()`) as Promise<string>;
  }

  /** Presses the tabulator until an element has the focus. Throws an Error if none of that name gets it. */
  async reach(name: string): Promise<void> {
    const passed: string[] = [];
    while ((await this.focused()) !== name) {
      if (passed.length > 80)
        throw new Error(`Not reached by keyboard: ${name}. Passed: ${passed.join(', ')}`);
      await this.page.keyboard.press('Tab');
      passed.push(await this.focused());
    }
  }

  /** Chooses an option of an open list by the arrow keys. */
  async pick(name: string): Promise<void> {
    const chosen = (): Promise<string[]> => this.texts('[role=option][data-combobox-selected]');
    await this.until(`option "${name}"`, async () => {
      if ((await chosen()).join() === name) return true;
      await this.page.keyboard.press('ArrowDown');
      return false;
    });
    await this.page.keyboard.press('Enter');
  }

  /** Moves an entry of a list by keyboard: picks it up, moves it and drops it. */
  async move(name: string, keys: readonly ('ArrowUp' | 'ArrowDown')[]): Promise<void> {
    const handle = await this.page.waitForSelector(`::-p-aria([name="Move ${quoted(name)}"][role="button"])`);
    await handle?.focus();
    const announced = (): Promise<string[]> => this.texts('[id^=DndLiveRegion]');
    await this.page.keyboard.press('Space');
    await this.until('picked up', async () => (await announced()).some((text) => text.startsWith('Place ')));
    // The list measures its entries after the pick-up.
    await sleep(100);
    for (const key of keys) {
      const before = (await announced()).join();
      await this.page.keyboard.press(key);
      await this.until('moved', async () => (await announced()).join() !== before);
      await sleep(50);
    }
    await this.page.keyboard.press('Space');
  }

  async acceptInvitation(link: string, password: string, heading = 'Articles'): Promise<void> {
    await this.page.goto(link);
    await this.fill('New password', password);
    await this.press('Set password and sign in');
    await this.heading(heading);
  }

  async signIn(identifier: string, password: string): Promise<void> {
    await this.fill('E-mail or user name', identifier);
    await this.fill('Password', password);
    await this.press('Sign in');
  }

  press(name: string): Promise<void> {
    return this.click('button', name);
  }

  follow(name: string): Promise<void> {
    return this.click('link', name);
  }

  item(name: string): Promise<void> {
    return this.click('menuitem', name);
  }

  option(name: string): Promise<void> {
    return this.click('option', name);
  }

  check(name: string): Promise<void> {
    return this.click('checkbox', name);
  }

  private async click(role: string, name: string): Promise<void> {
    try {
      await this.locator(role, name).filter(isAvailable).click();
    } catch (cause) {
      throw new Error(`Not clicked: ${role} ${name}. The page shows:\n${await this.shown()}`, { cause });
    }
  }

  /** Replaces the text of a field. */
  async fill(name: string, text: string): Promise<void> {
    const field = this.page.locator(
      ['textbox', 'searchbox', 'combobox']
        .map((role) => `::-p-aria([name="${quoted(name)}"][role="${role}"])`)
        .join(', '),
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
    const one = quoted(name);
    const selector = `::-p-aria([name="${one}"][role="textbox"]), ::-p-aria([name="${one}"][role="combobox"])`;
    const field = await this.page.waitForSelector(selector);
    if (field === null) throw new Error(`There is no field ${name}`);
    return field;
  }

  async valueOf(name: string): Promise<string> {
    return (await this.field(name)).evaluate((input) => (input as unknown as { value: string }).value);
  }

  /** Drops or pastes pictures, each with its name and colour, on an element. */
  async give(kind: 'drop' | 'paste', selector: string, files: readonly [string, string][]): Promise<void> {
    const sent = await Promise.all(
      files.map(async ([name, colour]) => ({
        name,
        type: 'image/png',
        base64: (await picture(colour)).toString('base64'),
      })),
    );
    await this.page.waitForSelector(selector);
    await this.page.evaluate(
      `(${GIVE})(${JSON.stringify(kind)}, ${JSON.stringify(selector)}, ${JSON.stringify(sent)})`,
    );
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
    const end = Date.now() + PATIENCE;
    while (!(await holds().catch(() => false))) {
      if (Date.now() > end) throw new Error(`Not reached: ${wanted}. The page shows:\n${await this.shown()}`);
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

  /** Text of the page for a message: the part of the open screen first, on one line each. */
  private async shown(): Promise<string> {
    const screen = await this.texts('#content, [role=alert], [role=dialog]');
    return [...screen, await this.text()].join('\n').replaceAll(/\n+/g, '\n');
  }

  /** Text that the page shows. */
  text(): Promise<string> {
    return this.page.$eval('body', (body) => (body as unknown as { innerText: string }).innerText);
  }
}
