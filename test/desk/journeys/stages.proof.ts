/** Journeys through stages: an author asks for a review, a chief publishes, and both see who wrote what. */
import { defineCollectionType } from 'nestjs-content-api';
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { checkViews } from './views.ts';
import { startVisit, type Visit } from './visit.ts';

const report = defineCollectionType({
  singularApiId: 'report',
  pluralApiId: 'reports',
  draftAndPublish: true,
  actions: true,
  authors: true,
  stages: {
    draft: { to: ['in_review'], label: { en: 'In work', de: 'In Arbeit' } },
    in_review: { to: ['draft', 'ready'], label: { en: 'In review', de: 'In Prüfung' } },
    ready: { to: ['in_review'], publish: true, label: { en: 'Ready', de: 'Fertig' } },
  },
  desk: { list: ['title', 'stage', 'kind'] },
  attributes: {
    title: { type: 'string', required: true },
    kind: {
      type: 'enumeration',
      enum: ['short_report', 'long_report'],
      desk: { values: { short_report: { en: 'Short report', de: 'Kurzer Bericht' } } },
    },
  },
});

const ROLES = {
  author: {
    desk: ['open'],
    article: ['find', 'findOne'],
    report: [
      'find',
      'findOne',
      'readDrafts',
      'create',
      'update',
      { actions: ['move'], stages: ['draft', 'in_review'] },
    ],
    user: [{ actions: ['find'], fields: ['username'] }],
  },
} as const;

(hasBrowser ? describe : describe.skip)('editors of a type with stages', () => {
  let visit: Visit;
  let ben: Editor;
  let ann: Editor;
  let address = '';
  const stage = ({ page }: Editor): Promise<string> =>
    page.$eval(
      '[aria-label^=Stage]',
      (one) => (one as unknown as { value?: string }).value ?? one.textContent,
    );
  const germanStage = async (): Promise<string> =>
    (
      await ann.page.$$eval('[aria-label^=Stufe]', (all) =>
        all.map((one) => (one as unknown as { value?: string }).value ?? one.textContent),
      )
    )[0] ?? '';
  const open = ({ page }: Editor, name: string): Promise<void> =>
    page.locator(`::-p-aria([name="${name}"][role="combobox"])`).click();
  const move = async (editor: Editor, name: string): Promise<void> => {
    await open(editor, 'Stage');
    await editor.option(name);
    await editor.sees(`Moved to ${name}`);
  };
  const isDisabled = ({ page }: Editor, name: string): Promise<boolean> =>
    page.$$eval(
      '.desk-savebar button',
      (all, text) => {
        const found = all.find((one) => one.textContent === text);
        return (found as unknown as { ariaDisabled: string } | undefined)?.ariaDisabled === 'true';
      },
      name,
    );

  beforeAll(async () => {
    visit = await startVisit('express', { contentTypes: [report], roles: ROLES });
    ben = await visit.arrive('ben', 'author');
    ann = await visit.arrive('ann', 'chief');
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('an author moves a draft to review, and cannot publish it', async () => {
    await ben.open('/content/report');
    await ben.follow('Create');
    await ben.fill('Title', 'Rain at sea');
    await open(ben, 'Kind');
    await ben.option('Short report');
    await ben.press('Save');
    await ben.heading('Rain at sea');
    await ben.until('a stage', async () => (await stage(ben)) === 'In work');
    await ben.until('an address', () => Promise.resolve(!ben.page.url().endsWith('/new')));
    address = new URL(ben.page.url()).pathname.replace(/^\/desk/, '');
    expect(await isDisabled(ben, 'Publish')).toBe(true);
    await move(ben, 'In review');
    expect(await isDisabled(ben, 'Publish')).toBe(true);
    await open(ben, 'Stage');
    const options = await ben.texts('[role=option]');
    expect([options.includes('In work'), options.includes('Ready')]).toEqual([true, false]);
    await ben.page.keyboard.press('Escape');
  });

  it('a chief sees the author and the stage in the list, approves the draft, and publishes it', async () => {
    await ann.open('/content/report');
    await ann.sees('In review');
    await ann.sees('Short report');
    await ann.follow('Rain at sea');
    await ann.heading('Rain at sea');
    await ann.sees('by ben');
    await move(ann, 'Ready');
    await ann.press('Publish');
    await ann.status('Published');
  });

  it('an edit without the right ends the approval, and the desk says so', async () => {
    await ben.open(address);
    await ben.heading('Rain at sea');
    await ben.until('the approval', async () => (await stage(ben)) === 'Ready');
    await ben.fill('Title', 'Rain on land');
    await ben.press('Save');
    await ben.sees('It is in In work again');
    expect(await isDisabled(ben, 'Publish')).toBe(true);
    await ann.open(address);
    await ann.heading('Rain on land');
    await ann.sees('by ben');
  });

  it('sees stages in all views', async () => {
    const document = (): Promise<void> => ann.open(address).then(() => ann.heading('Rain on land'));
    expect(await checkViews(ann.page, 'desk-stage', document)).toEqual([]);
    const list = (): Promise<void> => ann.open('/content/report').then(() => ann.sees('In work'));
    expect(await checkViews(ann.page, 'desk-stages', list)).toEqual([]);
  });

  it('sees names in German, and the buttons of a document in one row of a phone', async () => {
    await ann.page.setViewport({ width: 1280, height: 900 });
    await ann.page.evaluate("localStorage.setItem('content-desk language', 'de')");
    await ann.openAnew(address);
    await ann.until('the stage', async () => (await germanStage()) === 'In Arbeit');
    const { documentId } = await visit.api('post', '/articles', { data: { title: 'Regen' } });
    const height = (): Promise<number> =>
      ann.page.$eval('.desk-savebar', (one) => one.getBoundingClientRect().height);
    const show = (): Promise<void> =>
      ann.open(`/content/article/${documentId}`).then(() => ann.sees('Veröffentlicht'));
    expect(await checkViews(ann.page, 'desk-savebar-de', show)).toEqual([]);
    expect(await height()).toBeLessThan(64);
    // The bar of a phone has no room for the stage, so the form shows it.
    const staged = (): Promise<void> => ann.open(address).then(() => ann.heading('Rain on land'));
    expect(await checkViews(ann.page, 'desk-stage-de', staged)).toEqual([]);
    expect(await height()).toBeLessThan(64);
    expect(await ann.text()).toContain('Stufe');
  });

  it('reads in German why a draft cannot be published in its stage', async () => {
    await ann.page.setViewport({ width: 1280, height: 900 });
    await ann.open('/content/report');
    await ann.sees('In Arbeit');
    const heads = await ann.texts('thead th');
    expect([heads.includes('Stufe'), heads.includes('Stage')]).toEqual([true, false]);
    await ann.check('Rain on land auswählen');
    await ann.press('Veröffentlichen');
    await ann.page
      .locator('.mantine-Modal-content ::-p-aria([name="Veröffentlichen"][role="button"])')
      .click();
    await ann.sees('Stufe: Nur Entwürfe in Fertig können veröffentlicht werden');
  });
});
