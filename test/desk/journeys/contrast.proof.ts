/** Journey of an editor whose system forces its own colours: backgrounds are gone, and states are still seen. */
import { hasBrowser } from './browser.ts';
import type { Editor } from './editor.ts';
import { startVisit, type Visit } from './visit.ts';

(hasBrowser ? describe : describe.skip)('an editor with forced colours', () => {
  let visit: Visit;
  let ann: Editor;
  beforeAll(async () => {
    visit = await startVisit('express');
    ann = await visit.arrive('ann');
    const session = await ann.page.createCDPSession();
    await session.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'forced-colors', value: 'active' }],
    });
  }, 120_000);
  afterAll(() => visit?.end());
  afterEach(() => expect(visit.complaints()).toEqual([]));

  /** Waits until a property of an element has the value of a colour of the system. */
  const shows = (selector: string, property: string, colour: string): Promise<void> =>
    ann.until(`${colour} as ${property} of ${selector}`, async () => {
      const [found, wanted] = (await ann.page.evaluate(`(() => {
        const probe = document.createElement('i');
        probe.style.color = '${colour}';
        document.body.append(probe);
        const wanted = getComputedStyle(probe).color;
        probe.remove();
        return [getComputedStyle(document.querySelector('${selector}'))['${property}'], wanted];
      })()`)) as [string, string];
      return found === wanted;
    });

  it('sees which page is current, which option is chosen, and that a switch exists', async () => {
    await ann.open('/media');
    await shows('nav a[aria-current=page]', 'backgroundColor', 'Highlight');
    await shows('.mantine-Switch-thumb', 'backgroundColor', 'ButtonText');
    await ann.page.locator('::-p-aria([name="Kind"][role="combobox"])').click();
    await ann.page.keyboard.press('ArrowDown');
    await shows('[data-combobox-selected]', 'backgroundColor', 'Highlight');
  });

  it('sees which tools are on, and which buttons are off', async () => {
    await ann.open('/content/article/new');
    await ann.page.focus('[data-path=story] [role=textbox]');
    await ann.page.keyboard.down('Control');
    await ann.page.keyboard.press('b');
    await ann.page.keyboard.up('Control');
    await shows('[data-path=story] [aria-label=Bold]', 'backgroundColor', 'Highlight');
    await ann.fill('Title', 'Seen by all');
    await ann.press('Publish');
    await ann.status('Published');
    await shows('.desk-savebar [aria-disabled=true]', 'color', 'GrayText');
  });
});
