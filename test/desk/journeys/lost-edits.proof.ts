/**
 * No edit is ever lost: two editors type tokens into the same documents, while sessions end, servers restart,
 * networks are away and tabs are closed. In the end each token is stored, or its editor has decided against it
 * in a conflict. `LOST_EDITS=2000` is the long run, and `LOST_EDITS_SEED` repeats decisions.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import { hasBrowser, launch, openPage } from './browser.ts';
import { Editor } from './editor.ts';
import { randomFrom } from '../../support/random.ts';
import { Hand, PASSWORD, type Settings } from './hand.ts';
import { type Newsroom, startNewsroom } from './newsroom.ts';

const EDITS = Number(process.env['LOST_EDITS'] ?? 60);
const SEED = Number(process.env['LOST_EDITS_SEED'] ?? Date.now() % 1e6);
const DOCUMENTS = 2;
/** Zone items of each document, with two fields each. */
const QUOTES = 10;
const NAMES = ['a', 'b'] as const;
const DEEP =
  'status=draft&populate[tags]=true&populate[seo]=true&populate[sections][on][part.quote]=true' +
  '&populate[sections][on][part.table][populate][rows][populate]=cells';
/** Milliseconds for one edit, at most: one takes a quarter of that on a quiet machine. */
const PACE = 2400;
/** Milliseconds that an editor thinks between two rounds. */
const PAUSE = 300;
/** Milliseconds between two disturbances: more in a long run, which has enough of them. */
const CALM = EDITS > 500 ? 8000 : 2000;
/** Share of the edits in fields that the other editor avoids. */
const SIDED = 0.9;

(hasBrowser ? describe : describe.skip)('edits of two editors', () => {
  let room: Newsroom;
  let browser: Browser;

  beforeAll(async () => {
    room = await startNewsroom('express');
    browser = await launch();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await room?.close();
  });

  let jwt: string | null = null;
  const call = async (method: 'get' | 'post', path: string, body: object = {}): Promise<any> => {
    for (;;) {
      const account = { identifier: 'a@example.org', password: PASSWORD };
      jwt ??= (await room.http.post('/desk/session').send(account).expect(200)).body.jwt as string;
      const request = room.http[method](`/api${path}`).set('Authorization', `Bearer ${jwt}`);
      const response = await (method === 'get' ? request : request.send(body));
      if (response.status < 400) return response.body.data;
      if (response.status !== 401) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
      // The proof ends all sessions from time to time.
      jwt = null;
    }
  };

  /** Opens both browsers on the same new documents. */
  async function begin(isBlind: boolean, documentCount: number): Promise<[Hand[], string[]]> {
    const documents: string[] = [];
    const common = { room, documents, isBlind };
    const settings = NAMES.map((name, at): Settings => {
      const tags = Array.from({ length: isBlind ? 0 : 40 }, (_, n) => `«${name}t${n}»`);
      const pace = isBlind ? { sided: 0, pause: 0 } : { sided: SIDED, pause: PAUSE };
      return { ...common, ...pace, name, tags, side: at === 0 ? 0 : 1, random: randomFrom(SEED + at) };
    });
    const hands: Hand[] = [];
    for (const one of settings) {
      const hand = new Hand(await browser.createBrowserContext(), one);
      const email = isBlind ? `blind-${one.name}@example.org` : `${one.name}@example.org`;
      const link = await room.invite(email);
      if (hands.length === 0 && !isBlind) await prepare(hand, link, { settings, documentCount });
      else {
        if (isBlind && documents.length === 0) await makeDocuments(documents, documentCount);
        await hand.enter(link);
      }
      hands.push(hand);
    }
    return [hands, documents];
  }

  interface Prepared {
    readonly settings: readonly Settings[];
    readonly documentCount: number;
  }

  async function prepare(hand: Hand, link: string, { settings, documentCount }: Prepared): Promise<void> {
    // The first editor's account makes the documents.
    await hand.accept(link);
    await makeDocuments(settings[0]?.documents as string[], documentCount);
    for (const label of settings.flatMap(({ tags }) => tags))
      await call('post', '/tags', { data: { label } });
    await hand.visit();
  }

  async function makeDocuments(documents: string[], count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const quotes = Array.from({ length: QUOTES }, (_, n) => `Quote ${n}.`);
      const table = {
        caption: 'Table.',
        rows: [{ heading: 'Row.', cells: [{ text: 'Cell.' }, { text: 'Cell.' }] }],
      };
      const sections = [
        ...quotes.map((text) => ({ __component: 'part.quote', text, speaker: 'A speaker.' })),
        { __component: 'part.table', ...table },
      ];
      const story = [{ type: 'paragraph', children: [{ type: 'text', text: 'Story.' }] }];
      const texts = { title: `Shared ${i}`, lead: 'Lead.', body: 'Body.', story };
      const data = { ...texts, seo: { metaTitle: 'x' }, sections };
      const { documentId } = await call('post', '/articles?status=draft', { data });
      documents.push(documentId);
    }
  }

  /** All that is stored in drafts. */
  async function stored(documents: readonly string[]): Promise<string> {
    const texts = [];
    for (const id of documents) texts.push(JSON.stringify(await call('get', `/articles/${id}?${DEEP}`)));
    return texts.join('\n');
  }

  /** Ends sessions and restarts the server from time to time, until the work is done. */
  async function disturb(isDone: () => boolean): Promise<Record<string, number>> {
    const random = randomFrom(SEED + 99);
    const server = room.app.getHttpServer() as Server;
    const { port } = server.address() as AddressInfo;
    const events = { restarts: 0, 'ended sessions': 0 };
    let endsSession = false;
    while (!isDone()) {
      await sleep(CALM * (1 + random()));
      if (isDone()) break;
      if ((endsSession = !endsSession)) {
        await room.sql(`update content_users set sessions = '[]', token_version = token_version + 1`);
        events['ended sessions'] += 1;
        continue;
      }
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await sleep(random() * 1500);
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      events.restarts += 1;
    }
    return events;
  }

  it(
    `are all stored, or decided against: ${EDITS} edits`,
    async () => {
      console.log(`LOST_EDITS_SEED=${SEED}`);
      const [hands, documents] = await begin(false, DOCUMENTS);
      const begun = Date.now();
      let isDone = false;
      const disturbed = disturb(() => isDone);
      const end = Date.now() + EDITS * PACE;
      await Promise.all(hands.map((hand) => hand.work(EDITS / hands.length, end)));
      const worked = Date.now() - begun;
      isDone = true;
      const events = await disturbed;
      // Writes of one editor may overtake those of the other.
      let hasSaved = true;
      while (hasSaved) hasSaved = (await Promise.all(hands.map((hand) => hand.finish()))).some(Boolean);
      const text = await stored(documents);
      const typed = hands.flatMap((hand) => hand.typed);
      const isGivenUp = (token: string): boolean => hands.some((hand) => hand.givenUp.has(token));
      const lost = typed.filter((token) => !text.includes(token) && !isGivenUp(token));
      const summary = hands.map(({ events: own, skipped }) => JSON.stringify({ ...own, skipped }));
      const spent = hands.map((hand) => JSON.stringify(hand.spent));
      console.log(`${worked} ms of work, ${Date.now() - begun - worked} ms to finish`, ...spent);
      const absent = typed.filter((token) => !text.includes(token)).length;
      console.log(
        `${typed.length} edits, ${absent} given up in conflicts, ${lost.length} lost`,
        JSON.stringify(events),
        ...summary,
      );
      expect(lost).toEqual([]);
      // A write whose response was lost is not repeated: no item is there twice.
      const doubled = typed.filter((token) => text.split(token).length > 2);
      expect(doubled).toEqual([]);
      expect(typed.length).toBeGreaterThanOrEqual(EDITS * 0.8);
      expect(new Set(typed).size).toBe(typed.length);
      expect(hands.flatMap(({ complaints }) => complaints)).toEqual([]);
    },
    EDITS * PACE + 300_000,
  );

  it('are recovered if they were typed a tenth of a second before the browser was killed', async () => {
    const documents: string[] = [];
    const [email, folder] = ['killed@example.org', await mkdtemp(join(tmpdir(), 'content-browser-'))];
    const link = await room.invite(email);
    await makeDocuments(documents, 1);
    const path = `/content/article/${documents[0]}`;
    const begin = async (): Promise<[Browser, Editor]> => {
      const own = await launch(folder);
      const { page } = await openPage(own, room.url);
      return [own, new Editor(page, room.desk)];
    };
    const [killed, editor] = await begin();
    await editor.acceptInvitation(link, PASSWORD);
    await editor.open(path);
    await editor.type('Lead', ' «last»');
    await sleep(100);
    killed.process()?.kill('SIGKILL');
    const [again, back] = await begin();
    await back.open(path);
    if ((await back.text()).includes('Sign in')) await back.signIn(email, PASSWORD);
    await back.sees('were recovered');
    expect(await back.valueOf('Lead')).toContain('«last»');
    await again.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it('are lost without If-Match', async () => {
    const [hands, documents] = await begin(true, 1);
    let lost: string[] = [];
    for (let edits = 6; edits <= 60 && lost.length === 0; edits += 6) {
      await Promise.all(hands.map((hand) => hand.work(edits, Date.now() + 20_000)));
      await sleep(3500);
      const text = await stored(documents);
      lost = hands.flatMap(({ typed, givenUp }) =>
        typed.filter((token) => !text.includes(token) && !givenUp.has(token)),
      );
    }
    expect(lost).not.toEqual([]);
  }, 180_000);
});
