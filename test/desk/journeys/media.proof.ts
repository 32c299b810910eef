/** Journeys of an editor in the media library. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineCollectionType } from 'nestjs-content-api';
import { chooseFiles, failRequests, hasBrowser, holdRequests, loseResponses, refuseOnce } from './browser.ts';
import type { Editor } from './editor.ts';
import { checkViews } from './views.ts';
import { picture } from './picture.ts';
import { startVisit, type Visit } from './visit.ts';

const leaflet = defineCollectionType({
  singularApiId: 'leaflet',
  pluralApiId: 'leaflets',
  attributes: {
    title: { type: 'string' },
    paper: { type: 'media', allowedTypes: ['files'] },
    cover: { type: 'media', allowedTypes: ['images', 'files'] },
  },
});

(hasBrowser ? describe : describe.skip)('the media library', () => {
  let visit: Visit;
  let ann: Editor;
  const names = (): Promise<string[]> => ann.texts('.desk-tile > button > span:last-child');
  const give = (kind: 'drop' | 'paste', selector: string, ...files: [string, string][]): Promise<void> =>
    ann.give(kind, selector, files);
  const shows = (...wanted: string[]): Promise<void> =>
    ann.until(`files ${wanted.join(', ')}`, async () => (await names()).join() === wanted.join());
  const choose = async (field: string, option: string): Promise<void> => {
    await ann.page.locator(`::-p-aria([name="${field}"][role="combobox"])`).click();
    await ann.option(option);
  };
  const closed = (): Promise<void> =>
    ann.until('closed dialog', async () => (await ann.page.$$('[role=dialog]')).length === 0);
  const inDialog = (label: string): Promise<void> =>
    ann.page.locator(`[role=dialog] ::-p-aria([name="${label}"][role="button"])`).click();

  beforeAll(async () => {
    visit = await startVisit('express', { contentTypes: [leaflet], roles: { press: { '*': '*' } } });
    ann = await visit.arrive('ann', 'press');
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('takes files that are dropped, and a picture that is pasted', async () => {
    await ann.follow('Media library');
    await ann.sees('No files yet.');
    await ann.sees('every document can use them');
    await give('drop', '.desk-drop', ['harbour.png', '#2a6f97'], ['market.png', '#c9622b']);
    await shows('market.png', 'harbour.png');
    await give('paste', 'body', ['image.png', '#5b7553']);
    await shows('image.png', 'market.png', 'harbour.png');
  });

  it('takes no picture of the cells whose text is pasted into the search', async () => {
    const before = (await visit.api('get', '/upload/files')).length;
    const base64 = (await picture('#ffffff')).toString('base64');
    await ann.page.evaluate(`{
      const data = new DataTransfer();
      data.setData('text/plain', 'harbour');
      const bytes = Uint8Array.from(atob('${base64}'), (one) => one.charCodeAt(0));
      data.items.add(new File([bytes], 'cells.png', { type: 'image/png' }));
      document.querySelector('[role=searchbox]')
        .dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }`);
    await give('paste', 'body', ['after.png', '#123456']);
    await ann.until('the next file', async () => (await names()).includes('after.png'));
    expect(await visit.api('get', '/upload/files')).toHaveLength(before + 1);
    const [{ id }] = await visit.api('get', '/upload/files?filters[name]=after.png');
    await visit.api('delete', `/upload/files/${id}`);
    await ann.openAnew('/media');
    await shows('image.png', 'market.png', 'harbour.png');
  });

  it('keeps a file whose upload failed, and sends it again', async () => {
    await ann.page.setOfflineMode(true);
    await give('drop', '.desk-drop', ['station.png', '#112233']);
    await ann.sees('station.png was not uploaded');
    await ann.page.setOfflineMode(false);
    await ann.press('Upload station.png again');
    await ann.until('uploaded', async () => (await names()).includes('station.png'));
    await ann.seesNot('was not uploaded');
  });

  it('sends a file again that the server could not take for a moment', async () => {
    await refuseOnce(ann.page, ['*/api/upload']);
    await give('drop', '.desk-drop', ['busy.png', '#332211']);
    await ann.press('Upload busy.png again');
    await ann.until('uploaded', async () => (await names()).includes('busy.png'));
    const [file] = await visit.api('get', '/upload/files?filters[name]=busy.png');
    await visit.api('delete', `/upload/files/${file.documentId}`);
    await ann.openAnew('/media');
  });

  it('uploads each file once although the session ends in between, after another sign-in', async () => {
    await visit.endSessions();
    await give('drop', '.desk-drop', ['north.png', '#445566'], ['south.png', '#665544']);
    await ann.sees('Your session has ended');
    expect(await names()).not.toContain('north.png');
    expect(await ann.focused()).toBe('Password');
    await ann.page.keyboard.type('a long password of an editor');
    await ann.page.keyboard.press('Enter');
    await shows('south.png', 'north.png', 'station.png', 'image.png', 'market.png', 'harbour.png');
    for (const name of ['north.png', 'south.png']) {
      const [file, ...others] = await visit.api('get', `/upload/files?filters[name]=${name}`);
      expect(others).toEqual([]);
      await visit.api('delete', `/upload/files/${file.documentId}`);
    }
    await ann.openAnew('/media');
  });

  it('stores a file once that is sent again because the response was lost', async () => {
    const release = await loseResponses(ann.page);
    await give('drop', '.desk-drop', ['lost.png', '#aa5500']);
    await ann.sees('lost.png was not uploaded');
    await release();
    await ann.press('Upload lost.png again');
    await ann.until('uploaded', async () => (await names()).includes('lost.png'));
    const [file, ...others] = await visit.api('get', '/upload/files?filters[name]=lost.png');
    expect(others).toEqual([]);
    await visit.api('delete', `/upload/files/${file.documentId}`);
    await ann.openAnew('/media');
  });

  it('describes a picture, and sets its focal point by a click', async () => {
    await ann.press('harbour.png');
    await ann.fill('Alternative text', 'Ships in a harbour');
    const image = await ann.page.waitForSelector('.desk-focal-target');
    const box = await image?.boundingBox();
    if (!box) throw new Error('There is no picture');
    await ann.page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.5);
    await inDialog('Save');
    await closed();
    const [file] = await visit.api('get', '/upload/files?filters[name]=harbour.png');
    expect(file).toMatchObject({ alternativeText: 'Ships in a harbour', focalPoint: { x: 25, y: 50 } });
  });

  it('stays on its pages of a filter by age while time passes', async () => {
    await ann.openAnew('/media?age=week');
    await ann.until('files', async () => (await names()).includes('harbour.png'));
    await ann.rests();
    await ann.page.evaluate('{ const { now } = Date; Date.now = () => now() + 120_000; }');
    const asked: string[] = [];
    const listen = (request: { url(): string }): void => {
      if (request.url().includes('/files/page')) asked.push(request.url());
    };
    ann.page.on('request', listen);
    await ann.check('Select harbour.png');
    await ann.sees('1 file selected');
    await ann.rests();
    ann.page.off('request', listen);
    expect(asked).toEqual([]);
    await ann.openAnew('/media');
  });

  it('saves a description next to a change by another editor, and overwrites it only knowingly', async () => {
    const { documentId } = await visit.upload('quay.png', '#5b7553', { folder: '/quays' });
    const path = `/upload?id=${documentId}`;
    const stored = async () => visit.api('get', `/upload/files/${documentId}`);
    const open = async (): Promise<void> => {
      await ann.press('quay.png');
      await ann.sees('No document that you may see uses this file.');
      await ann.rests();
    };
    await ann.open('/media?folder=/quays');
    await open();
    await visit.api('post', path, { fileInfo: { caption: 'Theirs' } });
    await ann.fill('Alternative text', 'A quay');
    await inDialog('Save');
    await closed();
    expect(await stored()).toMatchObject({ alternativeText: 'A quay', caption: 'Theirs' });
    await open();
    await ann.fill('Caption', 'Mine');
    await visit.api('post', path, { fileInfo: { caption: 'Newer' } });
    // The desk reads the file again when its window is shown again.
    const read = ann.page.waitForResponse((response) =>
      response.url().endsWith(`/upload/files/${documentId}`),
    );
    await ann.page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await read;
    await ann.rests();
    await inDialog('Save');
    await ann.sees('Another editor has changed it in the meantime.');
    expect(await stored()).toMatchObject({ caption: 'Newer' });
    await ann.rests();
    await inDialog('Save');
    await closed();
    expect(await stored()).toMatchObject({ caption: 'Mine' });
    await visit.api('delete', `/upload/files/${documentId}`);
    await ann.openAnew('/media');
  });

  it('moves files to a new folder, and finds them there and by filters', async () => {
    await ann.check('Select market.png');
    await ann.check('Select station.png');
    await ann.press('Move to folder');
    await ann.page.locator('[role=dialog] input').fill('/city/centre');
    await inDialog('Move to folder');
    await ann.sees('2 files moved');
    await ann.press('city');
    await ann.sees('Nothing found');
    await ann.press('centre');
    await shows('station.png', 'market.png');
    expect(decodeURIComponent(ann.page.url())).toContain('folder=/city/centre');
    await ann.page.goBack();
    await ann.sees('Nothing found');
    await ann.page.goForward();
    await shows('station.png', 'market.png');
    await ann.fill('Search in Media library', 'mark');
    await shows('market.png');
    await ann.open('/media?kind=files');
    await ann.sees('Nothing found');
    await ann.open('/media?undescribed&age=day&sort=name');
    await shows('image.png', 'market.png', 'station.png');
  });

  it('crops a picture: its document id stays', async () => {
    await ann.open('/media');
    const [before] = await visit.api('get', '/upload/files?filters[name]=image.png');
    await ann.press('image.png');
    await inDialog('Crop');
    await ann.page.waitForSelector('.reactEasyCrop_CropArea');
    await ann.page.locator('label ::-p-text(1:1)').click();
    await ann.until('ready', async () => (await ann.page.$$('button[data-disabled]')).length < 2);
    await ann.press('Replace the picture');
    await ann.until('cropped', async () => {
      const after = await visit.api('get', `/upload/files/${before.documentId}`);
      return after.width === 400 && after.height === 400;
    });
    await ann.until('one dialog', async () => (await ann.page.$$('[role=dialog]')).length === 1);
    await ann.press('Close');
    await closed();
  });

  it('crops a described picture: the focal point stays on its motif, and a new file is described', async () => {
    const info = { alternativeText: 'Platform', caption: 'At noon', focalPoint: { x: 75, y: 50 } };
    const { documentId } = await visit.upload('platform.png', '#7f5539', { ...info, folder: '/trains' });
    await ann.open('/media?folder=/trains');
    await ann.press('platform.png');
    await inDialog('Crop');
    await ann.page.waitForSelector('.reactEasyCrop_CropArea');
    await ann.until('ready', async () => (await ann.page.$$('button[data-disabled]')).length < 2);
    await ann.page.setOfflineMode(true);
    await ann.press('Replace the picture');
    await ann.until('the reason', async () => (await ann.page.$$('[role=alert]')).length === 1);
    await ann.until('ready', async () => (await ann.page.$$('[data-loading]')).length === 0);
    await ann.page.setOfflineMode(false);
    await ann.press('Cancel');
    await ann.press('Close');
    await closed();
    for (const button of ['Save as a new file', 'Replace the picture']) {
      await ann.press('platform.png');
      await inDialog('Crop');
      await ann.page.waitForSelector('.reactEasyCrop_CropArea');
      await ann.page.locator('label ::-p-text(1:1)').click();
      await ann.until('ready', async () => (await ann.page.$$('button[data-disabled]')).length < 2);
      await ann.press(button);
      await ann.until('one dialog', async () => (await ann.page.$$('[role=dialog]')).length === 1);
      await ann.press('Close');
      await closed();
      if (button === 'Replace the picture') continue;
      await ann.until('two files', async () => (await names()).length === 2);
      const files = await visit.api('get', '/upload/files?filters[name]=platform.png&sort=createdAt');
      expect(files[1]).toMatchObject({ ...info, width: 400, focalPoint: { x: 90, y: 50 } });
      await visit.api('delete', `/upload/files/${files[1].documentId}`);
      await ann.openAnew('/media?folder=/trains');
    }
    const after = await visit.api('get', `/upload/files/${documentId}`);
    expect(after).toMatchObject({ ...info, width: 400, focalPoint: { x: 90, y: 50 } });
    await visit.api('delete', `/upload/files/${documentId}`);
  });

  it('stores a part of a picture in the folder of the picture, when all files are shown', async () => {
    const { documentId } = await visit.upload('signal.png', '#7f5539', { folder: '/trains/signals' });
    await ann.openAnew('/media');
    await ann.press('signal.png');
    await inDialog('Crop');
    await ann.page.waitForSelector('.reactEasyCrop_CropArea');
    await ann.until('ready', async () => (await ann.page.$$('button[data-disabled]')).length < 2);
    await ann.press('Save as a new file');
    await ann.until('one dialog', async () => (await ann.page.$$('[role=dialog]')).length === 1);
    await ann.press('Close');
    await closed();
    const files = await visit.api('get', '/upload/files?folder=/trains/signals');
    expect(files).toHaveLength(2);
    for (const file of files) await visit.api('delete', `/upload/files/${file.documentId}`);
    expect(files.map((one: { documentId: string }) => one.documentId)).toContain(documentId);
    await ann.openAnew('/media');
  });

  it('crops a picture whose focal point is not saved yet: the point stays on its motif', async () => {
    const { documentId } = await visit.upload('engine.png', '#7f5539', { folder: '/engines' });
    const point = async (): Promise<string> =>
      `${await ann.valueOf('From the left, in percent')} ${await ann.valueOf('From the top, in percent')}`;
    await ann.open('/media?folder=/engines');
    await ann.press('engine.png');
    const target = await ann.page.waitForSelector('.desk-focal-target');
    // The dialog moves while it opens.
    await ann.until('point', async () => {
      const box = await target?.boundingBox();
      if (!box) return false;
      await ann.page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.5);
      return (await point()) === '75 50';
    });
    await inDialog('Crop');
    await ann.page.waitForSelector('.reactEasyCrop_CropArea');
    await ann.page.locator('label ::-p-text(1:1)').click();
    await ann.until('ready', async () => (await ann.page.$$('button[data-disabled]')).length < 2);
    await ann.press('Replace the picture');
    await ann.until('one dialog', async () => (await ann.page.$$('[role=dialog]')).length === 1);
    await ann.until('moved point', async () => (await point()) === '90 50');
    const after = await visit.api('get', `/upload/files/${documentId}`);
    expect(after).toMatchObject({ width: 400, focalPoint: { x: 90, y: 50 } });
    await ann.press('Close');
    await closed();
    await visit.api('delete', `/upload/files/${documentId}`);
    await ann.openAnew('/media');
  });

  it('moves and deletes the selected files that another editor has not deleted meanwhile', async () => {
    const made: Record<string, any> = {};
    for (const name of ['p.png', 'q.png', 'r.png'])
      made[name] = await visit.upload(name, '#123456', { folder: '/shared' });
    const select = async (...all: string[]): Promise<void> => {
      for (const name of all) await ann.check(`Select ${name}`);
    };
    const remove = (name: string): Promise<unknown> =>
      visit.api('delete', `/upload/files/${made[name].documentId}`);
    await ann.open('/media?folder=/shared');
    await shows('r.png', 'q.png', 'p.png');
    await select('p.png', 'q.png');
    await remove('p.png');
    await ann.press('Move to folder');
    await ann.page.locator('[role=dialog] input').fill('/shared/moved');
    await inDialog('Move to folder');
    await ann.sees('1 file moved');
    await ann.open('/media?folder=/shared/moved');
    await shows('q.png');
    await visit.api('post', `/upload?id=${made['r.png'].id}`, { fileInfo: { folder: '/shared/moved' } });
    await ann.openAnew('/media?folder=/shared/moved');
    await shows('r.png', 'q.png');
    await select('q.png', 'r.png');
    await remove('q.png');
    await ann.page.locator('[role=region] ::-p-aria([name="Delete"][role="button"])').click();
    await ann.sees('No document that you may see uses it.');
    await inDialog('Delete');
    await closed();
    expect(await visit.api('get', '/upload/files?filters[name][$in]=q.png&filters[name][$in]=r.png')).toEqual(
      [],
    );
    await ann.openAnew('/media');
  });

  it('sees where a file is used before it is deleted, in components and drafts of a language too', async () => {
    const [file] = await visit.api('get', '/upload/files?filters[name]=harbour.png');
    const data = { title: 'With a harbour', cover: file.id };
    await visit.api('post', '/articles?status=draft', { data });
    const french = { title: 'Au port', seo: { shareImage: file.id } };
    await visit.api('post', '/articles?status=draft&locale=fr', { data: french });
    const body = `![A harbour](${file.formats.small.url})`;
    await visit.api('post', '/articles?status=draft', {
      data: { title: 'With a harbour in its text', body },
    });
    await ann.open('/media');
    await ann.press('harbour.png');
    await ann.sees('With a harbour in its text');
    await ann.sees('With a harbour');
    await ann.sees('Au port');
    await inDialog('Delete');
    await ann.sees('The documents below lose the file.');
    await ann.press('Cancel');
    await ann.press('Close');
    await closed();
    await ann.check('Select station.png');
    await ann.page.locator('[role=region] ::-p-aria([name="Delete"][role="button"])').click();
    await ann.sees('No document that you may see uses it.');
    await inDialog('Delete');
    await ann.sees('1 file deleted');
    await shows('image.png', 'market.png', 'harbour.png');
  });

  it('is told that the search for uses has failed, searches again, and deletes the file', async () => {
    await visit.upload('torn.png', '#aa3355');
    await ann.openAnew('/media');
    const fail = await failRequests(ann.page, '*/upload/files/*populate*');
    await ann.check('Select torn.png');
    await ann.page.locator('[role=region] ::-p-aria([name="Delete"][role="button"])').click();
    await ann.until('reason', async () => (await ann.page.$$('[role=dialog] [role=alert]')).length === 1);
    await fail();
    await inDialog('Try again');
    await ann.sees('No document that you may see uses it.');
    await inDialog('Delete');
    await ann.sees('1 file deleted');
    await closed();
  });

  it('replaces a file, and its former address leads to the new one', async () => {
    const [before] = await visit.api('get', '/upload/files?filters[name]=market.png');
    await ann.press('market.png');
    const input = await ann.page.waitForSelector('[role=dialog] input[type=file]');
    const path = join(await mkdtemp(join(tmpdir(), 'content-picture-')), 'market-new.png');
    await writeFile(path, await picture('#00ff00', 300, 200));
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
    await ann.sees('The file is replaced');
    const after = await visit.api('get', `/upload/files/${before.documentId}`);
    expect(after).toMatchObject({ id: before.id, width: 300 });
    await visit.room.http.get(before.url).expect(302).expect('Location', after.url);
    await ann.press('Close');
    await closed();
  });

  it('replaces a picture with a focal point, which was one of the former picture', async () => {
    const info = { alternativeText: 'A lock', focalPoint: { x: 10, y: 20 }, folder: '/locks' };
    const { documentId } = await visit.upload('lock.png', '#5b7553', info);
    await ann.open('/media?folder=/locks');
    await ann.press('lock.png');
    const input = await ann.page.waitForSelector('[role=dialog] input[type=file]');
    const folder = await mkdtemp(join(tmpdir(), 'content-picture-'));
    const replace = async (name: string): Promise<void> => {
      await writeFile(join(folder, name), await picture('#00ff00', 300, 200));
      await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(join(folder, name));
    };
    await ann.page.setOfflineMode(true);
    await replace('lost.png');
    await ann.sees('The server cannot be reached.');
    // The picture stays, and so does its point.
    expect(await ann.page.$$('.desk-focal-point')).toHaveLength(1);
    await ann.page.setOfflineMode(false);
    await replace('gate.png');
    await ann.sees('The picture is replaced, and has no focal point yet.');
    await ann.until('no point', async () => (await ann.page.$$('.desk-focal-point')).length === 0);
    const after = await visit.api('get', `/upload/files/${documentId}`);
    expect(after).toMatchObject({ alternativeText: 'A lock', focalPoint: null, width: 300 });
    await ann.press('Close');
    await closed();
    await visit.api('delete', `/upload/files/${documentId}`);
    await ann.openAnew('/media');
  });

  it('crops no other picture than the one it sees, if another editor has replaced that', async () => {
    const { documentId } = await visit.upload('bridge.png', '#5b7553', { folder: '/bridges' });
    await ann.open('/media?folder=/bridges');
    await ann.press('bridge.png');
    await inDialog('Crop');
    await ann.page.waitForSelector('.reactEasyCrop_CropArea');
    await ann.until('ready', async () => (await ann.page.$$('button[data-disabled]')).length < 2);
    await visit.room.http
      .post(`/api/upload?id=${documentId}`)
      .set('Authorization', `Bearer ${await visit.jwt()}`)
      .attach('files', await picture('#00ff00', 300, 200), 'bridge.png')
      .expect(200);
    await ann.press('Replace the picture');
    await ann.sees('Another editor has changed it in the meantime.');
    expect(await visit.api('get', `/upload/files/${documentId}`)).toMatchObject({ width: 300, height: 200 });
    await ann.until(
      'the new picture',
      async () =>
        ((await ann.page.$eval('.reactEasyCrop_Image', (image) => (image as any).naturalWidth)) as number) ===
        300,
    );
    await ann.press('Replace the picture');
    await ann.until('one dialog', async () => (await ann.page.$$('[role=dialog]')).length === 1);
    await ann.press('Close');
    await closed();
    await visit.api('delete', `/upload/files/${documentId}`);
    await ann.openAnew('/media');
  });

  it('is told that a picture could not be cropped, in words of the desk', async () => {
    const { documentId } = await visit.upload('fog.png', '#5b7553', { folder: '/fog' });
    await ann.openAnew('/media?folder=/fog');
    await ann.press('fog.png');
    await inDialog('Crop');
    await ann.page.waitForSelector('.reactEasyCrop_CropArea');
    await ann.until('ready', async () => (await ann.page.$$('button[data-disabled]')).length < 2);
    await ann.page.evaluate(`window.createImageBitmap = () => Promise.reject(new Error('Not decoded'))`);
    await ann.press('Replace the picture');
    await ann.sees('The picture could not be cropped');
    expect(await ann.text()).not.toContain('Not decoded');
    await visit.api('delete', `/upload/files/${documentId}`);
    await ann.openAnew('/media');
  });

  it('chooses several pictures in their order, and the library opens where it was', async () => {
    const { documentId } = await visit.api('post', '/articles?status=draft', { data: { title: 'Gallery' } });
    await ann.open(`/content/article/${documentId}`);
    const pick = (): Promise<void> =>
      ann.page
        .locator('[data-path=gallery] ::-p-aria([name="Choose from the library"][role="button"])')
        .click();
    await pick();
    await ann.page.waitForSelector('.desk-tile');
    await choose('Order', 'By name');
    await shows('harbour.png', 'image.png', 'market-new.png');
    await ann.press('market-new.png');
    await ann.press('harbour.png');
    await give('drop', '[role=dialog] .desk-drop', ['fresh.png', '#999999']);
    await ann.until('three chosen', async () => (await ann.page.$$('.desk-picked')).length === 3);
    await ann.move('fresh.png', ['ArrowUp', 'ArrowUp']);
    await ann.press('Choose');
    await ann.saved();
    const stored = await visit.api('get', `/articles/${documentId}?status=draft&populate=gallery`);
    expect(stored.gallery.map(({ name }: { name: string }) => name)).toEqual([
      'fresh.png',
      'market-new.png',
      'harbour.png',
    ]);
    await pick();
    await shows('fresh.png', 'harbour.png', 'image.png', 'market-new.png');
    await ann.page.keyboard.press('Escape');
    await closed();
  });

  it('is asked for the alternative text of a picture that it has chosen', async () => {
    await ann.press('No alternative text: describe fresh.png');
    await ann.fill('Alternative text', 'A grey wall');
    await inDialog('Save');
    await closed();
    await ann.until(
      'described',
      async () => (await ann.page.$$('[aria-label="No alternative text: describe fresh.png"]')).length === 0,
    );
    const [file] = await visit.api('get', '/upload/files?filters[name]=fresh.png');
    expect(file.alternativeText).toBe('A grey wall');
  });

  it('stores only one of several files that it drops on a field for one', async () => {
    await visit.api('post', '/articles?status=draft', { data: { title: 'With one cover' } });
    await ann.openAnew('/content/article?q=cover');
    await ann.follow('With one cover');
    await ann.page.waitForSelector('[data-path=cover]');
    await give('drop', '[data-path=cover]', ['only.png', '#aa0011'], ['surplus.png', '#aa0022']);
    await ann.sees('This field has one file. Only only.png is uploaded.');
    await ann.until('cover', async () => (await ann.texts('[data-path=cover]')).join().includes('only.png'));
    await ann.saved();
    const [{ cover }] = await visit.api(
      'get',
      '/articles?status=draft&filters[title]=With one cover&populate=*',
    );
    expect(cover.name).toBe('only.png');
    const names = (await visit.api('get', '/upload/files')).map((one: { name: string }) => one.name);
    expect(names).toContain('only.png');
    expect(names).not.toContain('surplus.png');
    await visit.api('delete', `/upload/files/${cover.id}`);
  });

  it('stores no file of a kind that the field refuses, from the desktop or in the dialog', async () => {
    await visit.api('post', '/articles?status=draft', { data: { title: 'Pictures only' } });
    await ann.openAnew('/content/article?q=only');
    await ann.follow('Pictures only');
    const message = 'notes.txt was not uploaded: This field accepts only files of these kinds: Pictures.';
    const refuses = async (selector: string): Promise<void> => {
      await ann.page.waitForSelector(selector);
      await ann.page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(['Notes.'], 'notes.txt', { type: 'text/plain' }));
        const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
        document.querySelector('${selector}').dispatchEvent(drop);
      })()`);
      await ann.until('refused', async () => (await ann.texts(`${selector} [role=alert]`)).includes(message));
    };
    await refuses('[data-path=cover]');
    await ann.press('Do not upload notes.txt');
    await ann.page
      .locator('[data-path=cover] ::-p-aria([name="Choose from the library"][role="button"])')
      .click();
    await refuses('[role=dialog] .desk-drop');
    expect(await visit.api('get', '/upload/files?filters[name]=notes.txt')).toEqual([]);
    await ann.page.keyboard.press('Escape');
    await closed();
  });

  it('uploads no picture that is pasted while the details of a file are open', async () => {
    const { documentId } = await visit.upload('quay.png', '#223344');
    await ann.openAnew('/content/article/new');
    await ann.page
      .locator('[data-path=cover] ::-p-aria([name="Choose from the library"][role="button"])')
      .click();
    await ann.press('Details of quay.png');
    await ann.field('Alternative text');
    const count = async (): Promise<number> => (await visit.api('get', '/upload/files')).length;
    const before = await count();
    await give('paste', 'body', ['pasted.png', '#001122']);
    await ann.rests();
    expect(await count()).toBe(before);
    await visit.api('delete', `/upload/files/${documentId}`);
    await ann.openAnew('/media');
  });

  it('lists the kinds that the field accepts, and offers them as filters', async () => {
    await visit.room.http
      .post('/api/upload')
      .set('Authorization', `Bearer ${await visit.jwt()}`)
      .attach('files', Buffer.from('Plan.'), 'plan.txt')
      .expect(201);
    await ann.openAnew('/content/leaflet/new');
    const kinds = async (field: string): Promise<number> => {
      await ann.page
        .locator(`[data-path=${field}] ::-p-aria([name="Choose from the library"][role="button"])`)
        .click();
      await ann.page.waitForSelector('.desk-tile');
      return (await ann.page.$$('[role=dialog] ::-p-aria([name="Kind"][role="combobox"])')).length;
    };
    expect(await kinds('paper')).toBe(0);
    await shows('plan.txt');
    await ann.page.keyboard.press('Escape');
    await closed();
    expect(await kinds('cover')).toBe(1);
    await ann.until('all files', async () => (await names()).length > 3);
    expect(await names()).toContain('plan.txt');
    await ann.page.locator('::-p-aria([name="Kind"][role="combobox"])').click();
    await ann.until('kinds', async () => (await ann.texts('[role=option]')).includes('Documents'));
    expect(await ann.texts('[role=option]')).not.toContain('Videos');
    await ann.option('Documents');
    await shows('plan.txt');
    await ann.page.keyboard.press('Escape');
    await closed();
    const [plan] = await visit.api('get', '/upload/files?filters[name]=plan.txt');
    await visit.api('delete', `/upload/files/${plan.documentId}`);
  });

  it('uploads into the folder that was open, although another one is opened meanwhile', async () => {
    await ann.openAnew('/media?folder=/city');
    const release = await holdRequests(ann.page, '*/api/upload');
    await give('drop', '.desk-drop', ['late.png', '#123456'], ['later.png', '#654321']);
    await ann.sees('later.png');
    await ann.press('All files');
    await ann.until('all files', () => Promise.resolve(!ann.page.url().includes('folder')));
    await release();
    await ann.until('uploaded', async () => (await names()).slice(0, 2).join() === 'later.png,late.png');
    const inCity = (await visit.api('get', '/upload/files?folder=/city')) as { readonly name: string }[];
    expect(inCity.map(({ name }) => name).sort()).toEqual(['late.png', 'later.png']);
  });

  it('reads in plain words why a file was refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'content-refused-'));
    const [page, fake] = [join(folder, 'page.html'), join(folder, 'fake.png')];
    await Promise.all([writeFile(page, '<h1>Page</h1>'), writeFile(fake, 'no picture')]);
    await chooseFiles(ann.page, () => ann.press('Upload'), [page, fake]);
    await ann.sees('page.html was not uploaded: The server does not accept files of this type.');
    await ann.sees('fake.png was not uploaded: The content of the file does not match');
    // The server would refuse them again.
    expect(await ann.page.$$('[aria-label^="Upload "][aria-label$=" again"]')).toHaveLength(0);
    for (const name of ['page.html', 'fake.png']) await ann.press(`Do not upload ${name}`);
    await ann.seesNot('was not uploaded');
  });

  it('uploads a file that is chosen twice, such as after the first one was deleted', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'content-again-')), 'again.png');
    await writeFile(path, await picture('#aabbcc'));
    for (let count = 1; count <= 2; count += 1) {
      await chooseFiles(ann.page, () => ann.press('Upload'), [path]);
      await ann.until(
        `file ${count}`,
        async () => (await names()).filter((name) => name === 'again.png').length === count,
      );
    }
  });

  it('offers a writer what the role allows: uploads, but neither changes nor deletions', async () => {
    const ben = await visit.arrive('ben', 'writer');
    await ben.follow('Media library');
    await ben.page.waitForSelector('.desk-tile');
    await ben.press('harbour.png');
    await ben.sees('With a harbour');
    const buttons = await ben.texts('[role=dialog] button');
    expect(buttons).toContain('Crop');
    for (const name of ['Save', 'Replace', 'Delete']) expect(buttons).not.toContain(name);
  });

  it.each([
    ['media', () => ann.open('/media')],
    [
      'file',
      async () => {
        await ann.open('/media');
        await ann.press('harbour.png');
        await ann.sees('With a harbour');
      },
    ],
    [
      'crop',
      async () => {
        await ann.open('/media?sort=name');
        await ann.press('harbour.png');
        await inDialog('Crop');
        await ann.page.waitForSelector('.reactEasyCrop_CropArea');
      },
    ],
  ] as const)('%s in all views', async (name, show) => {
    expect(await checkViews(ann.page, `desk-${name}`, show)).toEqual([]);
    await ann.page.setViewport({ width: 1280, height: 900 });
    if (name !== 'media') await ann.openAnew('/media');
  });
});
