/** Editor of the lost-edit proof: types tokens at random, and notes which of them it has given up knowingly. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'puppeteer-core';
import { type Opened, openPage } from './browser.ts';
import { Editor } from './editor.ts';
import type { Newsroom } from './newsroom.ts';

export const PASSWORD = 'a long password of an editor';

/** Random numbers from a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Inserts a token into a field, and returns the place; null if there is no field. It runs in the page. */
const TYPE = `(token, random, inMiddle) => {
  if (document.querySelector('.mantine-Modal-content') !== null) return null;
  const fields = [...document.querySelectorAll('input[data-path], textarea[data-path]')].filter(
    (one) => /^(lead|body|title)$|^seo\\/metaDescription$|^sections\\/#[^/]*\\/(text|speaker)$/.test(one.dataset.path)
      && one.value.length < ({ title: 60, lead: 250 })[one.dataset.path] || /^(body|seo|sections)/.test(one.dataset.path)
      && !/metaTitle/.test(one.dataset.path));
  const field = fields[Math.floor(random * fields.length)];
  if (field === undefined) return null;
  field.focus();
  const gaps = [...field.value.matchAll(/»/g)].map(({ index }) => index + 1);
  const at = inMiddle && gaps.length > 0 ? gaps[Math.floor(gaps.length / 2)] : field.value.length;
  field.setSelectionRange(at, at);
  document.execCommand('insertText', false, token);
  return field.value.includes(token) ? field.dataset.path : null;
}`;

/** Decides the first conflict, and returns the tokens that the editor gives up by that. It runs in the page. */
const DECIDE = `(isMine) => {
  const button = [...document.querySelectorAll('[role=alert] [role=group] button')].find((one) =>
    one.getAttribute('aria-label').startsWith(isMine ? 'Keep yours: ' : 'Take theirs: '));
  if (button === undefined) return null;
  const group = button.closest('[role=group]');
  const tokens = (text) => text.match(/«[^»]*»/g) ?? [];
  const sides = [...group.querySelectorAll('.mantine-Paper-root')].map((one) => tokens(one.textContent));
  const label = group.getAttribute('aria-label');
  const name = label.split(' › ').at(-1);
  const typed = [...document.querySelectorAll('input[data-path], textarea[data-path]')]
    .filter((one) => one.labels?.[0]?.textContent.replace(/ \\*$/, '') === name)
    .map((one) => tokens(one.value))
    .find((all) => sides[0].every((token) => all.includes(token))) ?? [];
  const mine = [...sides[0], ...typed];
  const theirs = sides[1];
  const [kept, given] = isMine ? [mine, theirs] : [theirs, mine];
  button.click();
  return given.filter((token) => !kept.includes(token));
}`;

export interface Settings {
  readonly room: Newsroom;
  readonly name: string;
  readonly documents: readonly string[];
  /** Labels of tags that only this editor links, which are its tokens. */
  readonly tags: string[];
  readonly random: () => number;
  /** Whether requests are sent without `If-Match`. */
  readonly isBlind: boolean;
}

export class Hand {
  readonly typed: string[] = [];
  readonly givenUp = new Set<string>();
  readonly events: Record<string, number> = {};
  /** Steps that the page did not allow, such as a press of a disabled button. */
  skipped = 0;
  private opened: Opened | null = null;
  private editor: Editor | null = null;
  private isOffline = false;
  private last = 0;

  constructor(
    private readonly context: BrowserContext,
    private readonly settings: Settings,
  ) {}

  get complaints(): string[] {
    return this.opened?.complaints ?? [];
  }

  private get page(): Editor {
    if (this.editor === null) throw new Error('No page is open');
    return this.editor;
  }

  async enter(link: string): Promise<void> {
    await this.newPage();
    await this.page.acceptInvitation(link, PASSWORD);
    await this.visit();
  }

  private async newPage(): Promise<void> {
    this.opened = await openPage(this.context, this.settings.room.url);
    this.opened.page.setDefaultTimeout(3000);
    this.editor = new Editor(this.opened.page, this.settings.room.desk);
    this.isOffline = false;
    if (!this.settings.isBlind) return;
    await this.opened.page.setRequestInterception(true);
    this.opened.page.on('request', (request) => {
      const { 'if-match': _match, ...headers } = request.headers();
      void request.continue({ headers }).catch(() => undefined);
    });
  }

  private chance(share: number): boolean {
    return this.settings.random() < share;
  }

  /** Opens one of the documents, in the tab as it is. */
  async visit(): Promise<void> {
    const { documents, random } = this.settings;
    const id = documents[Math.floor(random() * documents.length)] ?? '';
    await this.page.page.goto(`${this.page.desk}/content/article/${id}`);
    await this.settle();
  }

  /** Follows links of the page instead of a new address: the same page opens another form. */
  private async wander(): Promise<void> {
    await this.page.follow('Articles');
    await this.page.heading('Articles');
    const rows = await this.page.page.$$('tbody .desk-row-link');
    await rows[Math.floor(this.settings.random() * rows.length)]?.click();
    await this.settle();
  }

  /** Waits for the form, signs in, keeps recovered work and decides conflicts. */
  async settle(): Promise<void> {
    const { page } = this.page;
    const has = async (text: string): Promise<boolean> => (await this.page.text()).includes(text);
    await this.page.until('a form', async () => {
      if (this.isOffline) await this.online();
      if (await has('Your session has ended')) await this.signIn();
      if (await has('Sign in to write and publish.'))
        await this.page.signIn(`${this.settings.name}@example.org`, PASSWORD);
      return (await page.$('[data-path=title]')) !== null;
    });
    if (await has('were recovered')) {
      this.count('recovered');
      await this.page.press('Keep them');
    }
    for (;;) {
      const given = (await page.evaluate(`(${DECIDE})(${this.chance(1 / 2)})`)) as string[] | null;
      if (given === null) break;
      this.count('conflict');
      given.forEach((token) => this.givenUp.add(token));
      await sleep(50);
    }
    const closed = await page.$$('[data-path=sections] [aria-expanded=false]:not([aria-haspopup])');
    for (const row of closed.slice(-3)) await row.click();
  }

  private async signIn(): Promise<void> {
    await this.page.fill('Password', PASSWORD);
    await this.page.press('Sign in');
    await this.page.seesNot('Your session has ended');
    this.count('sign-in');
  }

  private count(name: string): void {
    this.events[name] = (this.events[name] ?? 0) + 1;
  }

  private async online(): Promise<void> {
    await this.page.page.setOfflineMode(false);
    this.isOffline = false;
  }

  private async type(): Promise<void> {
    const token = `«${this.settings.name}${(this.last += 1)}»`;
    const { random } = this.settings;
    const place = await this.page.page.evaluate(`(${TYPE})('${token}', ${random()}, ${random() < 0.3})`);
    if (place === null) throw new Error('No field');
    this.typed.push(token);
  }

  private async link(): Promise<void> {
    const label = this.settings.tags.pop();
    if (label === undefined) return this.type();
    await this.page.link('Add to Tags', label, label);
    const there = `document.querySelector('[data-path=tags]').textContent.includes('${label}')`;
    if (await this.page.page.evaluate(there)) this.typed.push(label);
    await this.page.page.keyboard.press('Escape');
  }

  private readonly acts: readonly (readonly [name: string, share: number, act: () => Promise<void>])[] = [
    ['save', 0.12, () => this.page.press('Save')],
    ['publish', 0.05, () => this.page.press('Publish')],
    ['pause', 0.02, () => sleep(2800)],
    ['link', 0.05, () => this.link()],
    [
      'section',
      0.02,
      async () => {
        await this.page.press('Add Sections');
        await this.page.item('Quote A sentence with its speaker.');
      },
    ],
    [
      'offline',
      0.04,
      async () => {
        this.isOffline = true;
        await this.page.page.setOfflineMode(true);
        for (let i = 0; i < 3; i += 1) await this.type();
      },
    ],
    ['wander', 0.03, () => this.wander()],
    ['reload', 0.02, () => this.visit()],
    ['close', 0.03, () => this.closeTab()],
  ];

  private async closeTab(): Promise<void> {
    // A hand needs some time to close a tab after the last key.
    await sleep(350);
    await this.opened?.close();
    await this.newPage();
    await this.visit();
  }

  /** Types tokens until there are enough, with everything that may happen between. */
  async work(tokens: number, end: number): Promise<void> {
    const simple = this.settings.isBlind ? 2 : this.acts.length;
    while (this.typed.length < tokens && Date.now() < end)
      try {
        await this.settle();
        for (let i = 0; i < 3; i += 1) await this.type();
        let dice = this.settings.random();
        for (const [name, share, act] of this.acts.slice(0, simple)) {
          dice -= share * 1.6;
          if (dice > 0) continue;
          await act();
          this.count(name);
          break;
        }
      } catch (error) {
        this.skipped += 1;
        if (process.env['LOST_EDITS_VERBOSE'] !== undefined) console.log(String(error).slice(0, 300));
        await sleep(100);
      }
  }

  /** Opens every document, and saves what is recovered, until nothing is left to save. */
  async finish(): Promise<void> {
    await this.online();
    for (const id of this.settings.documents) {
      await this.page.page.goto(`${this.page.desk}/content/article/${id}`);
      await this.page.until('everything is saved', async () => {
        await this.settle();
        const [state = ''] = await this.page.texts('.desk-savebar [role=status]');
        return state === '' || state.startsWith('Saved at');
      });
    }
  }
}
