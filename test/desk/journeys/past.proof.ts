/** Journeys of an editor who looks back: versions and their differences, restoring, and the trash. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HTTPRequest } from 'puppeteer-core';
import { failRequests, hasBrowser, holdRequests } from './browser.ts';
import type { Editor } from './editor.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

(hasBrowser ? describe : describe.skip)('an editor who looks back', () => {
  let visit: Visit;
  let ann: Editor;
  let api: Visit['api'];
  let id = '';
  const inDialog = (name: string): Promise<void> =>
    ann.page.locator(`.mantine-Modal-content ::-p-aria([name="${name}"][role="button"])`).click();
  const draftOf = (of: string): Promise<any> => api('get', `/articles/${of}?status=draft&populate=*`);
  /** Differences that the page shows, each with its place. */
  const differences = async (): Promise<string[]> =>
    ann.page.$$eval('[role=tabpanel] [role=group]', (all) =>
      all.map((one) => (one as unknown as { innerText: string }).innerText.replace(/\s+/g, ' ')),
    );

  beforeAll(async () => {
    visit = await startVisit('express');
    ann = await visit.arrive('ann');
    api = visit.api.bind(visit);
    const tags = [];
    for (const label of ['Sea', 'Land', 'Air'])
      tags.push((await api('post', '/tags', { data: { label } })).documentId);
    const [sea, land, air] = tags;
    const quote = (text: string, speaker: string): object => ({ __component: 'part.quote', text, speaker });
    const first = { title: 'Harbours', lead: 'Ships come and go.', tags: [sea, land], rating: 3 };
    const sections = [quote('The sea gives.', 'A fisher'), quote('The sea takes.', 'A widow')];
    id = (await api('post', '/articles', { data: { ...first, sections } })).documentId;
    await api('put', `/articles/${id}`, {
      data: {
        title: 'Harbours of the north',
        lead: 'Ships come, and few of them go.',
        rating: 5,
        tags: [land, air],
        seo: { metaTitle: 'Harbours' },
        sections: [quote('The sea takes.', 'A widow'), quote('The wind sings.', 'A sailor')],
      },
    });
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('sees who changed what and when, word by word', async () => {
    await ann.open(`/content/article/${id}`);
    await ann.follow('History');
    await ann.heading('History of Harbours of the north');
    await ann.sees('Changed by you');
    await ann.until('differences', async () => (await differences()).length > 0);
    expect(await differences()).toEqual([
      'Title Harbours of the north',
      'Lead Ships come, and few of them go.',
      'Rating Before 3 After 5',
      'Tags Added Air Removed Sea',
      'Seo Added Title for search engines Harbours',
      'Sections › 1 Quote Removed Text The sea gives. Speaker A fisher',
      'Sections › 2 Quote Added Text The wind sings. Speaker A sailor',
    ]);
    expect(await ann.texts('ins')).toContain('of the north');
  });

  it('compares the first draft after a publication with what was published', async () => {
    const { documentId } = await api('post', '/articles', { data: { title: 'Ebb' } });
    await api('put', `/articles/${documentId}?status=draft`, { data: { title: 'Ebb and flow' } });
    await ann.open(`/history/article/${documentId}`);
    await ann.heading('History of Ebb and flow');
    await ann.until(
      'differences',
      async () => (await differences()).join() === 'Title Before Ebb After Ebb and flow',
    );
    expect(await ann.text()).not.toContain('This is the first version.');
    await ann.open(`/history/article/${id}`);
    await ann.heading('History of Harbours of the north');
  });

  it('seeks older versions for a comparison, and asks for a page that failed only by a button', async () => {
    const { documentId } = await api('post', '/articles', { data: { title: 'Low' } });
    await api('put', `/articles/${documentId}?status=draft`, { data: { title: 'Low tide' } });
    // The first page ends with the draft.
    for (let rating = 1; rating <= 24; rating += 1)
      await api('put', `/articles/${documentId}`, { data: { title: 'Low tide', rating: rating % 10 } });
    const versions = (): Promise<number> =>
      ann.texts('nav[aria-label=Versions] a').then(({ length }) => length);
    await ann.open(`/history/article/${documentId}`);
    await ann.until('a page', async () => (await versions()) === 25);
    await (await ann.page.$$('nav[aria-label=Versions] a')).at(-1)?.click();
    await ann.until('differences', async () => (await differences()).join() === 'Title Low tide');
    expect(await versions()).toBe(26);
    const release = await failRequests(ann.page, '*page?=2&*');
    const asked: string[] = [];
    const listen = (request: HTTPRequest): void => {
      if (request.url().includes('[page]=2')) asked.push(request.url());
    };
    ann.page.on('request', listen);
    await ann.openAnew(`/history/article/${documentId}?at=2000-01-01T00:00:00.000Z`);
    await ann.until('the failure', async () => (await ann.texts('#content [role=alert]')).length === 1);
    const { length } = asked;
    await sleep(1500);
    expect(asked).toHaveLength(length);
    ann.page.off('request', listen);
    await release();
    await ann.press('Try again');
    await ann.until('all versions', async () => (await versions()) === 26);
  });

  it('sees the version of a form that was still being saved when it left', async () => {
    const { documentId } = await api('post', '/articles', { data: { title: 'Saved late' } });
    await ann.open(`/content/article/${documentId}`);
    await ann.heading('Saved late');
    const release = await holdRequests(ann.page, `*/articles/${documentId}\\?*`);
    await ann.type('Lead', 'Typed last.');
    await ann.follow('History');
    const versions = (): Promise<number> =>
      ann.texts('nav[aria-label=Versions] a').then(({ length }) => length);
    await ann.until('the former version', async () => (await versions()) === 1);
    await release();
    await ann.until('the new version', async () => (await versions()) === 2);
    await ann.open(`/history/article/${id}`);
    await ann.heading('History of Harbours of the north');
  });

  it('reads a version as it was', async () => {
    await ann.page.locator('[role=tab] ::-p-text(Content)').click();
    await ann.until('content', async () => (await ann.texts('dd')).includes('Harbours of the north'));
    expect(await ann.texts('dd')).toContain('Land, Air');
  });

  it('restores a version to the draft after a question, and undoes that', async () => {
    await ann.open(`/content/article/${id}`);
    await ann.fill('Lead', 'A lead that is not published.');
    await ann.saved();
    await ann.follow('History');
    await ann.until('versions', async () => (await ann.texts('nav[aria-label=Versions] a')).length === 3);
    const links = await ann.page.$$('nav[aria-label=Versions] a');
    await links.at(-1)?.click();
    await ann.sees('This is the first version.');
    await ann.press('Restore');
    await ann.sees('The current draft stays in the history.');
    await inDialog('Restore');
    await ann.heading('Harbours');
    await ann.status('Modified');
    expect(await draftOf(id)).toMatchObject({ title: 'Harbours', lead: 'Ships come and go.', rating: 3 });
    expect(await api('get', `/articles/${id}`)).toMatchObject({ title: 'Harbours of the north' });
    await ann.follow('History');
    await ann.sees('Restored by you');
    const [, before] = await ann.page.$$('nav[aria-label=Versions] a');
    await before?.click();
    await ann.sees('A lead that is not published.');
    await ann.press('Restore');
    await inDialog('Restore');
    await ann.heading('Harbours of the north');
    expect(await draftOf(id)).toMatchObject({ lead: 'A lead that is not published.', rating: 5 });
  });

  it('sees why a version cannot be restored, and nothing has changed', async () => {
    const { documentId } = await api('post', '/articles', { data: { title: 'Kept', rating: 1 } });
    await api('put', `/articles/${documentId}`, { data: { rating: 2 } });
    await visit.room.sql(
      `update content_version set content = content || '{"rating": 99}' where document_id = $1`,
      [documentId],
    );
    await ann.open(`/history/article/${documentId}`);
    await ann.heading('History of Kept');
    await ann.press('Restore');
    await inDialog('Restore');
    await ann.until('refusal', async () => (await ann.texts('[role=dialog] [role=alert]')).length === 1);
    await inDialog('Cancel');
    expect(await draftOf(documentId)).toMatchObject({ rating: 2 });
  });

  it('sees the versions of one language, or of all', async () => {
    await api('put', `/articles/${id}?locale=fr`, { data: { title: 'Ports du nord' } });
    await ann.open(`/history/article/${id}?locale=fr`);
    await ann.heading('History of Ports du nord');
    expect(await ann.texts('nav[aria-label=Versions] a')).toHaveLength(1);
    await ann.page.locator('::-p-aria([name="Language"])').click();
    await ann.option('All languages');
    await ann.until('all', async () => (await ann.texts('nav[aria-label=Versions] a')).length > 3);
    expect((await ann.texts('nav[aria-label=Versions] a'))[0]).toContain('French');
  });

  it('restores the homepage', async () => {
    for (const headline of ['Good morning', 'Good evening'])
      await api('put', '/homepage', { data: { headline, highlights: [id] } });
    await ann.open('/content/homepage');
    await ann.follow('History');
    await ann.heading('History of Homepage');
    const links = await ann.page.$$('nav[aria-label=Versions] a');
    await links.at(-1)?.click();
    await ann.sees('Good morning');
    await ann.press('Restore');
    await inDialog('Restore');
    await ann.heading('Homepage');
    expect(await api('get', '/homepage?status=draft')).toMatchObject({ headline: 'Good morning' });
  });

  it('deletes a document, and finds it again in the trash', async () => {
    const { documentId } = await api('post', '/articles', { data: { title: 'Thrown away' } });
    await api('put', `/articles/${documentId}?status=draft`, { data: { title: 'Thrown away too early' } });
    await ann.open(`/content/article/${documentId}`);
    await ann.press('More actions');
    await ann.item('Delete');
    await ann.sees('You can restore it from the trash.');
    await inDialog('Delete');
    await ann.heading('Articles');
    await ann.follow('Trash');
    await ann.heading('Trash: Articles');
    await ann.press('Restore Thrown away too early');
    await inDialog('Restore');
    await ann.sees('“Thrown away too early” is restored.');
    await ann.seesNot('by you');
    await ann.follow('Open');
    await ann.heading('Thrown away too early');
    await ann.status('Modified');
    expect(await api('get', `/articles/${documentId}`)).toMatchObject({ title: 'Thrown away' });
  });

  it('continues with a document that another editor has restored from the trash', async () => {
    const { documentId } = await api('post', '/articles?status=draft', { data: { title: 'There and back' } });
    await ann.open(`/content/article/${documentId}`);
    await api('delete', `/articles/${documentId}?locale=*`);
    await ann.type('Lead', 'Typed while it was gone.');
    await ann.press('Save');
    await ann.sees('This document was deleted');
    await api('post', `/articles/${documentId}/actions/restore`, {});
    await ann.press('Create it again with these values');
    await ann.saved();
    expect(await api('get', '/articles?status=draft&filters[title]=There and back')).toMatchObject([
      { documentId, lead: 'Typed while it was gone.' },
    ]);
  });

  it('continues with recovered work on a document that was deleted and restored meanwhile', async () => {
    const rows = [{ heading: 'Return', cells: [{ text: 'Back' }] }];
    const sections = [
      { __component: 'part.quote', text: 'There.' },
      { __component: 'part.table', rows },
    ];
    const data = { title: 'Back again', seo: { metaTitle: 'Back' }, sections };
    const { documentId } = await api('post', '/articles?status=draft', { data });
    await ann.open(`/content/article/${documentId}`);
    await api('delete', `/articles/${documentId}?locale=*`);
    await ann.type('Lead', 'Recovered.');
    await ann.press('Save');
    await ann.sees('This document was deleted');
    for (const _visit of ['first', 'second']) {
      await ann.openAnew(`/content/article/${documentId}`);
      await ann.sees('Your changes are kept below.');
    }
    await api('post', `/articles/${documentId}/actions/restore`, {});
    await ann.press('Create it again with these values');
    await ann.saved();
    const populate =
      'populate[seo]=true&populate[sections][on][part.table][populate][rows][populate]=cells&populate[sections][on][part.quote]=true';
    const stored = await api('get', `/articles/${documentId}?status=draft&${populate}`);
    expect(stored).toMatchObject({ ...data, lead: 'Recovered.' });
    expect(await ann.text()).not.toContain('Another editor');
  });

  it('deletes a document once, with two presses of the button', async () => {
    const { documentId } = await api('post', '/articles?status=draft', { data: { title: 'Pressed twice' } });
    await ann.open(`/content/article/${documentId}`);
    await ann.press('More actions');
    await ann.item('Delete');
    await ann.sees('You can restore it from the trash.');
    const sent: string[] = [];
    const listen = (request: HTTPRequest): void => void (request.method() === 'DELETE' && sent.push(''));
    ann.page.on('request', listen);
    const button = '[role=dialog] ::-p-aria([name="Delete"][role="button"])';
    await ann.page.locator(button).click({ count: 2 });
    await ann.heading('Articles');
    ann.page.off('request', listen);
    expect(sent).toHaveLength(1);
  });

  it('is shown no history and no trash without the rights', async () => {
    const ben = await visit.arrive('ben', 'looker');
    expect(await ben.text()).not.toContain('Trash');
    await ben.open(`/content/article/${id}`);
    await ben.heading('Harbours of the north');
    expect(await ben.text()).not.toContain('History');
    for (const path of [`/history/article/${id}`, '/trash/article', '/history/article', '/trash/author']) {
      await ben.open(path);
      await ben.heading('This page does not exist.');
    }
  });

  it.each([
    ['history', () => ann.open(`/history/article/${id}`)],
    [
      'trash',
      async () => {
        const { documentId } = await api('post', '/articles', { data: { title: 'Old news' } });
        await api('delete', `/articles/${documentId}?locale=*`);
        await ann.open('/trash/article');
        await ann.sees('Old news');
      },
    ],
  ] as const)('%s in all views', async (name, show) => {
    const shown = async (): Promise<void> => {
      await show();
      await ann.until('loaded', async () => (await ann.page.$$('[aria-label=Loading]')).length === 0);
    };
    expect(await checkViews(ann.page, `desk-${name}`, shown)).toEqual([]);
    await ann.page.setViewport({ width: 1280, height: 900 });
  });
});
