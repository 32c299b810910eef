/** Journeys of an editor who mistypes numbers and leaves dates half typed. */
import { defineCollectionType } from 'nestjs-content-api';
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

const fair = defineCollectionType({
  singularApiId: 'fair',
  pluralApiId: 'fairs',
  desk: { title: 'name', list: ['name', 'opened'] },
  attributes: {
    name: { type: 'string' },
    opened: { type: 'timestamp' },
    days: { type: 'array' },
    indoors: { type: 'boolean', required: true, default: false },
  },
});

(hasBrowser ? describe : describe.skip)('values that are not right yet', () => {
  let visit: Visit;
  let ann: Editor;
  let id: string;
  const stored = (): Promise<any> => visit.api('get', `/articles/${id}?status=draft`);
  const problemOf = (path: string): Promise<string> =>
    ann.page.$eval(`[data-path=${path}]`, (input) => {
      const one = input as unknown as { closest: (selector: string) => { textContent: string } };
      return one.closest('.mantine-InputWrapper-root').textContent;
    });
  const says = (path: string, problem: string): Promise<void> =>
    ann.until(`${path}: ${problem}`, async () => (await problemOf(path)).includes(problem));

  beforeAll(async () => {
    const roles = { host: { '*': '*' } } as const;
    visit = await startVisit('express', { contentTypes: [fair], roles });
    ann = await visit.arrive('ann', 'host');
  }, 120_000);
  beforeEach(async () => {
    const data = { title: 'Not right yet', rating: 3 };
    id = (await visit.api('post', '/articles?status=draft', { data })).documentId;
    await ann.open(`/content/article/${id}`);
    await ann.heading('Not right yet');
  });
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  it('stay as they were typed, with what is wrong: numbers', async () => {
    await ann.fill('Rating', '');
    await ann.type('Rating', '3.5');
    await ann.type('Weight', '1,5');
    await ann.fill('Price', '123456789');
    await ann.sees('Not everything is saved. Correct the marked fields.');
    expect(await ann.valueOf('Rating')).toBe('3.5');
    expect(await ann.valueOf('Weight')).toBe('1,5');
    await says('rating', 'Enter a whole number');
    await says('weight', 'Enter a number with a point instead of a comma');
    await says('price', 'From -99999999.99 to 99999999.99');
    await ann.fill('Rating', '4');
    await ann.fill('Price', '2.50');
    await ann.fill('Weight', '');
    // A point without a digit after it is on the way to a number.
    await ann.type('Weight', '-0.');
    await ann.type('Weight', '05');
    await ann.saved();
    expect(await ann.valueOf('Weight')).toBe('-0.05');
    expect(await stored()).toMatchObject({ rating: 4, weight: -0.05, price: 2.5 });
  });

  it('stay as they were typed when the draft is saved in between: decimals', async () => {
    await ann.type('Price', '120.0');
    await ann.savesItself();
    expect(await ann.valueOf('Price')).toBe('120.0');
    await ann.type('Price', '5');
    await ann.saved();
    expect(await ann.valueOf('Price')).toBe('120.05');
    expect((await stored()).price).toBe(120.05);
  });

  it('leave an empty field when they are discarded, and when another editor removes them', async () => {
    await ann.type('Weight', '7');
    await ann.press('More actions');
    await ann.item('Discard unsaved changes');
    expect(await ann.valueOf('Weight')).toBe('');
    await ann.fill('Rating', '5');
    await ann.saved();
    await visit.api('put', `/articles/${id}?status=draft`, { data: { rating: null } });
    await ann.until('news', async () => {
      await ann.page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      return (await ann.text()).includes('Another editor has changed: Rating.');
    });
    expect(await ann.valueOf('Rating')).toBe('');
  });

  it('stay in the second of two equal hours if their minutes change: times', async () => {
    await ann.page.emulateTimezone('Europe/Berlin');
    await visit.api('put', `/articles/${id}?status=draft`, { data: { meeting: '2026-10-25T01:30:00.000Z' } });
    await ann.openAnew(`/content/article/${id}`);
    const input = await ann.page.waitForSelector('input[data-path=meeting]');
    await input?.focus();
    for (const key of ['Tab', 'Tab', 'Tab', 'Tab', '4', '5'] as const) await ann.page.keyboard.press(key);
    await ann.saved();
    await ann.page.emulateTimezone('UTC');
    expect(await stored()).toMatchObject({ meeting: '2026-10-25T01:45:00.000Z' });
  });

  it('show a stored timestamp, and keep the one that was typed after it is stored', async () => {
    const opened = String(Date.parse('2026-01-15T12:00:00.000Z'));
    const { documentId } = await visit.api('post', '/fairs', { data: { name: 'Regatta', opened } });
    await ann.page.emulateTimezone('Europe/Berlin');
    await ann.openAnew(`/content/fair/${documentId}`);
    const input = await ann.page.waitForSelector('input[data-path=opened]');
    const shown = (): Promise<string> => input!.evaluate((one: any) => one.value);
    expect(await shown()).toMatch(/^2026-01-15T13:00/);
    await input?.focus();
    await ann.page.keyboard.press('2');
    await ann.saved();
    expect(await shown()).toMatch(/^2026-02-15T13:00/);
    const { opened: typed } = await visit.api('get', `/fairs/${documentId}`);
    expect(typed).toBe(String(Date.parse('2026-02-15T12:00:00.000Z')));
    await ann.open('/content/fair');
    await ann.sees('Regatta');
    expect((await ann.texts('tbody tr')).join()).toMatch(/15.*2026/);
    await ann.page.emulateTimezone('UTC');
  });

  it('are lists in JSON, and stay as they were typed until they are: arrays', async () => {
    const data = { name: 'Regatta', days: ['Friday', 'Saturday'] };
    const { documentId } = await visit.api('post', '/fairs', { data });
    await ann.open(`/content/fair/${documentId}`);
    expect(JSON.parse(await ann.valueOf('Days'))).toEqual(data.days);
    await ann.fill('Days', '{"first": "Friday"}');
    await ann.page.keyboard.press('Tab');
    await says('days', 'This is not a list in JSON');
    await ann.fill('Days', '["Sunday", {"from": 9}]');
    await ann.saved();
    const { days } = await visit.api('get', `/fairs/${documentId}`);
    expect(days).toEqual(['Sunday', { from: 9 }]);
    await (await ann.field('Days')).focus();
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('a');
    await ann.page.keyboard.up('Control');
    await ann.page.keyboard.press('Backspace');
    await ann.saved();
    expect((await visit.api('get', `/fairs/${documentId}`)).days).toBeNull();
  });

  it('have a mark if they are required: boxes', async () => {
    await ann.open('/content/fair/new');
    await ann.check('Indoors');
    expect(await ann.texts('.mantine-Checkbox-root')).toEqual(['Indoors *']);
    await ann.saved();
  });

  it('may be as long as the server accepts, in characters that are longer in the browser', async () => {
    const title = '👍'.repeat(80);
    await ann.fill('Title', '');
    await (await ann.field('Title')).focus();
    await ann.page.keyboard.sendCharacter(title);
    await ann.saved();
    expect(await stored()).toMatchObject({ title });
    expect(await problemOf('title')).not.toContain('At most');
    await ann.sees('80 of 80');
  });

  it('have a name that can be pressed in the list, also without a character that can be seen', async () => {
    await ann.fill('Title', '   ');
    await ann.heading('Untitled');
    await ann.saved();
    await ann.open('/content/article?sort=updatedAt:desc');
    await ann.follow('Untitled');
    await ann.heading('Untitled');
    expect(ann.page.url()).toContain(id);
  });

  it('keep the ends of their lines, also in a field that usually has one line', async () => {
    await visit.api('put', `/articles/${id}?status=draft`, { data: { title: 'One\ntwo' } });
    await ann.openAnew(`/content/article/${id}`);
    const field = await ann.page.waitForSelector('textarea[data-path=title]');
    expect(await ann.valueOf('Title')).toBe('One\ntwo');
    await field?.focus();
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('End');
    await ann.page.keyboard.up('Control');
    await ann.page.keyboard.type(' three');
    await ann.saved();
    expect((await stored()).title).toBe('One\ntwo three');
  });

  it('keep the text and the cursor of the editor when the draft is saved in between: JSON', async () => {
    await ann.type('Extra', '{"name": "x", "a": 1}');
    await ann.savesItself();
    await ann.page.keyboard.press('ArrowLeft');
    await ann.page.keyboard.type(', "b": 2');
    await ann.saved();
    expect(await ann.valueOf('Extra')).toBe('{"name": "x", "a": 1, "b": 2}');
    expect((await stored()).extra).toEqual({ name: 'x', a: 1, b: 2 });
  });

  it('are not stored with other digits than those of the editor: JSON', async () => {
    await ann.fill('Extra', '{"id": 12345678901234567890}');
    await ann.fill('Title', 'With a long number');
    await ann.sees('Not everything is saved. Correct the marked fields.');
    await says('extra', 'A number is too large, or has too many digits. Put it in quotes.');
    expect(await stored()).toMatchObject({ title: 'With a long number', extra: null });
    for (const json of ['{"id": 1e400}', '{"id": 0.12345678901234567890}']) {
      await ann.fill('Extra', json);
      await says('extra', 'A number is too large, or has too many digits. Put it in quotes.');
      expect(await ann.valueOf('Extra')).toBe(json);
    }
    await ann.fill('Extra', '{"id": "12345678901234567890", "max": 9007199254740991}');
    await ann.saved();
    expect((await stored()).extra).toEqual({ id: '12345678901234567890', max: 9_007_199_254_740_991 });
  });

  it.each([
    ['appears', '1224', '12242026', '2026-12-24'],
    ['meeting', '12242026', '12242026 103000AM', '2026-12-24T10:30:00.000Z'],
    ['hour', '10', '103000AM', '10:30:00'],
  ])('say that they are not complete: %s', async (name, part, whole, value) => {
    const input = await ann.page.waitForSelector(`input[data-path=${name}]`);
    await input?.focus();
    await ann.page.keyboard.type(part);
    await ann.fill('Title', `Half of ${name}`);
    await says(name, 'The value is incomplete');
    await input?.focus();
    for (const keys of whole.split(' ')) {
      await ann.page.keyboard.type(keys);
      // From the year to the hour.
      await ann.page.keyboard.press('ArrowRight');
    }
    await ann.until('saved', async () => (await stored())[name] === value);
    expect(await problemOf(name)).not.toContain('The value is incomplete');
  });
});
