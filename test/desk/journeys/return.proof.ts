/** Journeys of an editor who works in a long list by keyboard alone. */
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

const ROWS = 60;

(hasBrowser ? describe : describe.skip)('in a long list, by keyboard', () => {
  let visit: Visit;
  let ann: Editor;
  beforeAll(async () => {
    visit = await startVisit('express');
    ann = await visit.arrive('ann');
    const data = Array.from({ length: ROWS }, (_, at) => ({
      action: 'create',
      data: { label: `Tag ${String(at).padStart(3, '0')}` },
    }));
    await visit.api('post', '/tags/bulk', { data });
  }, 120_000);
  beforeEach(async () => {
    await ann.openAnew('/content/tag?page=2&pageSize=25');
    await ann.sees('Tag 049');
  });
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  const returned = (name: string): Promise<void> =>
    ann.until(`focus on ${name}`, async () => (await ann.focused()) === name);

  it('returns to the row that was opened, by a step back and by the way to the list', async () => {
    await ann.reach('Tag 041');
    await ann.page.keyboard.press('Enter');
    await ann.heading('Tag 041');
    await ann.page.goBack();
    await returned('Tag 041');
    await ann.page.keyboard.press('Enter');
    await ann.heading('Tag 041');
    await ann.page.focus('nav[aria-label=Tags] a');
    await ann.page.keyboard.press('Enter');
    await returned('Tag 041');
    expect(ann.page.url()).toContain('page=2');
  });

  it('returns by a step back to the page of the list before', async () => {
    await ann.press('Page 3');
    await ann.sees('Tag 050');
    await ann.fill('Search in Tags', 'Tag 01');
    await ann.sees('1 to 10 of 10');
    await ann.page.goBack();
    await ann.sees('Tag 049');
  });

  it('selects and clears a range with the shift key', async () => {
    const space = async (name: string, isRange: boolean): Promise<number> => {
      await ann.page.focus(`[aria-label="Select ${name}"]`);
      if (isRange) await ann.page.keyboard.down('Shift');
      await ann.page.keyboard.press('Space');
      if (isRange) await ann.page.keyboard.up('Shift');
      return (await ann.page.$$('tbody input:checked')).length;
    };
    expect(await space('Tag 028', false)).toBe(1);
    expect(await space('Tag 034', true)).toBe(7);
    expect(await space('Tag 031', true)).toBe(3);
  });
});
