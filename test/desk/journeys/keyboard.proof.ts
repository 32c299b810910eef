/** Journeys of an editor who uses the keyboard alone, in the media library and among webhooks. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventsModule, webhookType } from 'nestjs-content-api/events';
import type { KeyInput } from 'puppeteer-core';
import { chooseFiles, hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { picture } from './picture.ts';
import { Receiver } from './receiver.ts';
import { startVisit, type Visit } from './visit.ts';

(hasBrowser ? describe : describe.skip)('by keyboard alone', () => {
  let visit: Visit;
  let eva: Editor;
  let quay: { readonly documentId: string };
  const receiver = new Receiver();
  const press = async (key: KeyInput, times = 1): Promise<void> => {
    for (let i = 0; i < times; i += 1) await eva.page.keyboard.press(key);
  };
  const activate = async (name: string): Promise<void> => {
    await eva.reach(name);
    await press('Enter');
  };
  const write = async (name: string, text: string): Promise<void> => {
    await eva.reach(name);
    await eva.page.keyboard.type(text);
  };
  const dialogs = (count: number): Promise<void> =>
    eva.until(`${count} dialogs`, async () => (await eva.page.$$('[role=dialog]')).length === count);
  const hasFocus = (name: string): Promise<void> =>
    eva.until(`focus on ${name}`, async () => (await eva.focused()) === name);
  const isSize = (width: number, height: number): Promise<void> =>
    eva.until(`${width} × ${height} pixels`, async () => {
      const file = await visit.api('get', `/upload/files/${quay.documentId}`);
      return file.width === width && file.height === height;
    });

  beforeAll(async () => {
    await receiver.start();
    visit = await startVisit('express', {
      contentTypes: [webhookType],
      imports: [EventsModule.forRoot({ pollMilliseconds: 50, webhooks: { allow: ['localhost'] } })],
    });
    await visit.arrive('ann');
    eva = await visit.arrive('eva', 'chief');
    quay = await visit.upload('quay.png', '#2a6f97');
  }, 120_000);
  afterAll(async () => {
    await visit?.end();
    receiver.stop();
  });
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('crops a picture: shape, zoom and place', async () => {
    await eva.open('/media');
    await activate('quay.png');
    await dialogs(1);
    await activate('Crop');
    await dialogs(2);
    await eva.page.waitForSelector('.reactEasyCrop_CropArea');
    await eva.reach('Part of the picture');
    await press('ArrowRight', 3);
    await eva.reach('Original');
    await press('ArrowRight');
    await hasFocus('1:1');
    await eva.reach('Zoom');
    await press('ArrowRight', 10);
    await activate('Replace the picture');
    await dialogs(1);
    await isSize(200, 200);
    await hasFocus('Crop');
  });

  it('replaces a file, and keeps an alternative text that is not saved yet', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'content-picture-')), 'quay-new.png');
    await writeFile(path, await picture('#00ff00', 300, 200));
    await write('Alternative text', 'A quay');
    await eva.reach('Replace');
    await chooseFiles(eva.page, () => press('Enter'), [path]);
    await eva.sees('The file is replaced');
    await isSize(300, 200);
    await hasFocus('Replace');
    expect(await eva.valueOf('Alternative text')).toBe('A quay');
    await activate('Save');
    await dialogs(0);
    expect(await visit.api('get', `/upload/files/${quay.documentId}`)).toMatchObject({
      alternativeText: 'A quay',
      width: 300,
    });
    await hasFocus('quay-new.png');
  });

  it('deletes a file after a question, and stays in the library', async () => {
    await press('Enter');
    await dialogs(1);
    await activate('Delete');
    await dialogs(2);
    await eva.sees('No document that you may see uses it.');
    await activate('Delete');
    await dialogs(0);
    await eva.sees('No files yet.');
    const files = await visit.api('get', '/upload/files');
    expect(files).toEqual([]);
    await eva.until(
      'focus on the content',
      async () => (await eva.page.evaluate('document.activeElement.id')) === 'content',
    );
  });

  it('creates a webhook, and sends a test event', async () => {
    await eva.open('/webhooks');
    await activate('Create a webhook');
    await dialogs(1);
    await write('Name', 'Site');
    await write('Address', receiver.url);
    await activate('Create a webhook');
    await eva.sees('Secret of Site');
    await activate('Close');
    await dialogs(0);
    await activate('Site');
    await eva.heading('Site');
    await activate('Send a test event');
    await eva.sees('The endpoint responded with 200');
    expect(receiver.received).toBe(1);
    await hasFocus('Send a test event');
  });

  it('sees the addresses of webhooks on a phone, without the columns of their counts', async () => {
    await eva.page.setViewport({ width: 390, height: 860 });
    await eva.open('/webhooks');
    await eva.sees('Site');
    const heads = await eva.page.$$eval('th', (all) =>
      all
        .filter((one) => (one as unknown as { offsetWidth: number }).offsetWidth > 0)
        .map((one) => one.textContent),
    );
    expect(heads).toEqual(['Name', 'State']);
    await eva.page.setViewport({ width: 1280, height: 900 });
  });
});
