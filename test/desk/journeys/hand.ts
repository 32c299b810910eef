/** Editor of the lost-edit proof: types tokens at random, and notes which of them it has given up knowingly. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'puppeteer-core';
import { type Opened, openPage, PATIENCE } from './browser.ts';
import { Editor } from './editor.ts';
import { DECIDE, LOOK, SAVE, TYPE, UNFOLD, WRITE } from './hand-scripts.ts';
import type { Newsroom } from './newsroom.ts';

export const PASSWORD = 'a long password of an editor';

/** Things that an editor sees at a glance. */
interface Sight {
  readonly hasForm: boolean;
  /** The session has ended: the page asks for the password, or a dialog over it. */
  readonly asks: boolean;
  readonly isRecovered: boolean;
  /** The page shows a list, or is none of the desk: a press was lost, or the server was away. */
  readonly isElsewhere: boolean;
}

export interface Settings {
  readonly room: Newsroom;
  readonly name: string;
  readonly documents: readonly string[];
  /** Labels of tags that only this editor links, which are its tokens. */
  readonly tags: string[];
  readonly random: () => number;
  /** Whether requests are sent without `If-Match`. */
  readonly isBlind: boolean;
  /** Fields that this editor prefers: those with this remainder. */
  readonly side: 0 | 1;
  /** Share of the tokens that go into preferred fields. */
  readonly sided: number;
  /** Milliseconds between two rounds of typing. */
  readonly pause: number;
}

/** Fields with a text editor. */
const RICH_PATHS = ['body', 'story'];
/** Tokens of one round of typing. */
const ROUND = 3;
/** Milliseconds that a step may take: another one is tried after it. */
const SHORT = 3000;
/** Milliseconds before a crash in which the last key may be lost. */
const CRASH_WINDOW = 50;

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
    await this.accept(link);
    await this.visit();
  }

  /** Signs in with a new password, without a document: the first load of the desk may be slow. */
  async accept(link: string): Promise<void> {
    await this.newPage();
    this.opened?.page.setDefaultTimeout(PATIENCE);
    await this.page.acceptInvitation(link, PASSWORD);
    this.opened?.page.setDefaultTimeout(SHORT);
  }

  private async newPage(): Promise<void> {
    this.opened = await openPage(this.context, this.settings.room.url);
    this.opened.page.setDefaultTimeout(SHORT);
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
    await this.goTo();
    await this.settle();
  }

  private async goTo(): Promise<void> {
    const { documents, random } = this.settings;
    const id = documents[Math.floor(random() * documents.length)] ?? '';
    if (this.isOffline) await this.online();
    // The server may be away. The browser shows its own page then.
    await this.page.page.goto(`${this.page.desk}/content/article/${id}`).catch(() => sleep(200));
  }

  /** Follows links of the page instead of a new address: the same page opens another form. */
  private async wander(): Promise<void> {
    await this.page.follow('Articles');
    await this.page.heading('Articles');
    await this.page.page.waitForSelector('tbody .desk-row-link');
    const rows = await this.page.page.$$('tbody .desk-row-link');
    await rows[Math.floor(this.settings.random() * rows.length)]?.click();
    await this.settle();
  }

  private look(): Promise<Sight> {
    return this.page.page.evaluate(LOOK) as Promise<Sight>;
  }

  /** Waits for the form, signs in, keeps recovered work and decides conflicts. */
  async settle(): Promise<void> {
    const { page } = this.page;
    let seen = await this.look();
    const end = Date.now() + 15_000;
    while (!seen.hasForm || seen.asks) {
      if (Date.now() > end)
        throw new Error(`There is no form: ${JSON.stringify(seen)} ${(await this.page.text()).slice(-300)}`);
      if (seen.isElsewhere) await this.goTo();
      if (this.isOffline) await this.online();
      if (seen.asks) await this.signIn();
      else await sleep(30);
      seen = await this.look();
    }
    if (seen.isRecovered) {
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
    await page.evaluate(UNFOLD);
  }

  private async signIn(): Promise<void> {
    // A dialog that opens while a key is pressed gets the key.
    await this.page.signIn(`${this.settings.name}@example.org`, PASSWORD);
    // The server may be away. The page asks again then.
    const end = Date.now() + 1500;
    while ((await this.look()).asks) {
      if (Date.now() > end) return;
      await sleep(30);
    }
    this.count('sign-in');
  }

  /** Milliseconds by what was done. */
  readonly spent: Record<string, number> = {};

  private spend(name: string, milliseconds: number): void {
    this.spent[name] = (this.spent[name] ?? 0) + milliseconds;
  }

  private tell(text: string): void {
    if (process.env['LOST_EDITS_VERBOSE'] !== undefined) console.log(text);
  }

  private count(name: string): void {
    this.events[name] = (this.events[name] ?? 0) + 1;
  }

  private async online(): Promise<void> {
    await this.page.page.setOfflineMode(false);
    this.isOffline = false;
  }

  /** Types some tokens, one after the other. */
  private async type(): Promise<void> {
    const { name, random, side, sided } = this.settings;
    const tokens = Array.from({ length: ROUND }, () => `«${name}${(this.last += 1)}»`);
    const request = { tokens, side, sided, random: tokens.map(() => Array.from({ length: 4 }, random)) };
    const script = `(${TYPE})(${JSON.stringify(request)})`;
    const typed = (await this.page.page.evaluate(script)) as readonly (readonly [string, string])[];
    this.typed.push(...typed.map(([token]) => token));
    for (const [, path] of typed) if (RICH_PATHS.includes(path)) this.count(`typed in ${path}`);
    if (typed.length < tokens.length) throw new Error('No field');
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
      'line',
      0.06,
      async () => {
        if ((await this.page.page.evaluate(`(${WRITE})(${this.settings.random()})`)) === true)
          await this.page.page.keyboard.press('Enter');
      },
    ],
    [
      'offline',
      0.04,
      async () => {
        this.isOffline = true;
        await this.page.page.setOfflineMode(true);
        await this.type();
      },
    ],
    ['wander', 0.03, () => this.wander()],
    ['reload', 0.02, () => this.visit()],
    ['close', 0.03, () => this.closeTab()],
    ['crash', 0.02, () => this.crash()],
  ];

  private async closeTab(): Promise<void> {
    // A page that has crashed does not answer.
    await Promise.race([this.opened?.close().catch(() => undefined), sleep(1000)]);
    await this.newPage();
    await this.visit();
  }

  /** Ends the process of the page without a warning. */
  private async crash(): Promise<void> {
    const session = await this.page.page.createCDPSession();
    await sleep(CRASH_WINDOW);
    session.send('Page.crash').catch(() => undefined);
    await sleep(200);
    await this.closeTab();
  }

  /** Types tokens until there are enough, with everything that may happen between. */
  async work(tokens: number, end: number): Promise<void> {
    const simple = this.settings.isBlind ? 2 : this.acts.length;
    while (this.typed.length < tokens && Date.now() < end) {
      const started = Date.now();
      let doing = 'settle';
      try {
        await this.settle();
        doing = 'type';
        await this.type();
        await sleep(this.settings.pause);
        let dice = this.settings.random();
        for (const [name, share, act] of this.acts.slice(0, simple)) {
          dice -= share * 1.6;
          if (dice > 0) continue;
          doing = name;
          await act();
          this.count(name);
          break;
        }
      } catch (error) {
        this.skipped += 1;
        this.tell(`${doing}: ${String(error).slice(0, 600)}`);
        await sleep(100);
      }
      this.spend(doing, Date.now() - started);
    }
  }

  /** Opens every document, and saves recovered work. Returns whether there was any. */
  async finish(): Promise<boolean> {
    await this.online();
    this.page.page.setDefaultTimeout(PATIENCE);
    let hasSaved = false;
    for (const id of this.settings.documents) {
      await this.page.openAnew(`/content/article/${id}`);
      await this.page.until('everything is saved', async () => {
        await this.settle();
        if (await this.page.page.evaluate(SAVE)) hasSaved = true;
        const [state = ''] = await this.page.texts('.desk-savebar [role=status]');
        return state === '' || state.startsWith('Saved at');
      });
    }
    return hasSaved;
  }
}
