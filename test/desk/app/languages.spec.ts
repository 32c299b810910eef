/** Language of the desk: the choice of the editor, those of the browser, and the default of the options. */

// The parts of a page that modules of the desk need when they are loaded.
const page = globalThis as any;
const { document, localStorage, navigator } = page;
const settings = JSON.stringify({ languages: ['de'] });
page.document = { getElementById: () => ({ textContent: settings }) };
// Its types would add those of a browser to the server.
const load = (name: string): Promise<any> => import(`../../../desk/src/${name}.ts`);
const { chosenLanguage } = await load('texts/texts');
page.document = document;

const set = (name: string, value: unknown): unknown =>
  Object.defineProperty(page, name, { value, configurable: true, writable: true });

afterAll(() => {
  set('localStorage', localStorage);
  set('navigator', navigator);
});

describe('the language of the desk', () => {
  it.each<[name: string, stored: string | null, browser: readonly string[], expected: string]>([
    ['is the first of the options without another match', null, ['en-GB', 'fr'], 'de'],
    ['is the first of the options if the chosen one is not among them', 'en', [], 'de'],
    ['is one of the browser that the desk has', null, ['fr', 'de-AT'], 'de'],
  ])('%s', (_name, stored, browser, expected) => {
    set('localStorage', { getItem: () => stored });
    set('navigator', { languages: browser });
    expect(chosenLanguage()).toBe(expected);
  });
});
