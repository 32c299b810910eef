/** Scripts that the editor of the lost-edit proof runs in a page of the desk. */

/** Returns what an editor sees at a glance. */
export const LOOK = `({
    isElsewhere: document.querySelector('tbody .desk-row-link') !== null || document.getElementById('root') === null,
    hasForm: document.querySelector('input[data-path=title]') !== null,
    asks: document.querySelector('input[type=password]') !== null,
    isRecovered: [...document.querySelectorAll('.mantine-Alert-root')].some((one) => /were recovered/.test(one.textContent)),
})`;

/** Presses the button that saves, if there is something to save. It runs in the page. */
export const SAVE = `(() => {
  const button = [...document.querySelectorAll('.desk-savebar button')].find((one) => one.textContent === 'Save');
  const isEnabled = button !== undefined && button.ariaDisabled !== 'true';
  if (isEnabled) button.click();
  return isEnabled;
})()`;

/** Opens up to three closed rows. It runs in the page. */
export const UNFOLD = `(() => {
  const closed = [...document.querySelectorAll('[data-path=sections] [aria-expanded=false]:not([aria-haspopup])')];
  for (const row of closed.slice(0, 3)) row.click();
})()`;

/** Places in which a text editor accepts words: at the end of a line or block. It runs in the page. */
const PLACE = `(element, where) => {
  const lines = [...element.querySelectorAll('.cm-line, p, h1, h2, h3, li')];
  const line = where < 0.3 ? lines[Math.floor(lines.length / 2)] : lines.at(-1);
  element.focus();
  getSelection().selectAllChildren(line ?? element);
  getSelection().collapseToEnd();
}`;
const RICH = '.cm-content[contenteditable=true], .ProseMirror[contenteditable=true]';

/**
 * Inserts tokens into fields, each mostly into one that this editor prefers. Returns those that the fields
 * contain then. It runs in the page.
 */
export const TYPE = `async ({ tokens, random, side, sided }) => {
  const limits = { title: 60, lead: 250, body: 2000, story: 2000 };
  const limitOf = (path) => limits[path] ?? (/^sections\\/.*\\/(speaker|caption|heading)$/.test(path) ? 200 : 0);
  const isOpen = ({ path, text }) =>
    /^seo\\/metaDescription$|\\/text$/.test(path) || text().length < limitOf(path);
  const hash = (path) => [...path].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7) % 2;
  const plain = (input) => ({
    isRich: false,
    path: input.dataset.path,
    text: () => input.value,
    place: (where) => {
      input.focus();
      const gaps = [...input.value.matchAll(/»/g)].map(({ index }) => index + 1);
      const place = where < 0.3 && gaps.length > 0 ? gaps[Math.floor(gaps.length / 2)] : input.value.length;
      input.setSelectionRange(place, place);
    },
  });
  const rich = (element) => ({
    isRich: true,
    path: element.closest('[data-path]').dataset.path,
    text: () => element.textContent,
    place: (where) => (${PLACE})(element, where),
  });
  const found = () => [
    ...[...document.querySelectorAll('input[data-path], textarea[data-path]')].filter((one) => !one.disabled).map(plain),
    ...[...document.querySelectorAll('${RICH}')].map(rich),
  ].filter(isOpen);
  const typed = [];
  for (const [at, token] of tokens.entries()) {
    if (document.querySelector('.mantine-Modal-content') !== null) break;
    const [which, where, isMine, kind] = random[at];
    const fields = found();
    const own = fields.filter(({ path }) => hash(path) === side);
    // There are many plain fields, and two text editors.
    const wide = isMine < sided && own.length > 0 ? own : fields;
    const texts = wide.filter(({ isRich }) => isRich === kind < 0.3);
    const choice = texts.length > 0 ? texts : wide;
    const field = choice[Math.floor(which * choice.length)];
    if (field === undefined) continue;
    field.place(where);
    document.execCommand('insertText', false, token);
    // Text editors read what the browser has inserted a moment later.
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (field.text().includes(token)) typed.push([token, field.path]);
  }
  return typed;
}`;

/** Puts the cursor into one of the text editors. It runs in the page. */
export const WRITE = `(which) => {
  const all = [...document.querySelectorAll('${RICH}')];
  const element = all[Math.floor(which * all.length)];
  if (element === undefined || document.querySelector('.mantine-Modal-content') !== null) return false;
  (${PLACE})(element, 1);
  return true;
}`;

/** Decides the first conflict, and returns the tokens that the editor gives up by that. It runs in the page. */
export const DECIDE = `(isMine) => {
  const button = [...document.querySelectorAll('[data-conflict] button')].find((one) =>
    one.getAttribute('aria-label').startsWith(isMine ? 'Keep yours: ' : 'Take theirs: '));
  if (button === undefined) return null;
  const group = button.closest('[data-conflict]');
  const tokens = (text) => text.match(/«[^»]*»/g) ?? [];
  const [mine, theirs] = [...group.querySelectorAll('.mantine-Paper-root')].map((one) => tokens(one.textContent));
  const field = document.querySelector('[data-path="' + CSS.escape(group.dataset.conflict) + '"]');
  const text = field?.value ?? field?.querySelector('.cm-content, .ProseMirror')?.textContent ?? '';
  const typed = [...mine, ...tokens(text)];
  const [kept, given] = isMine ? [typed, theirs] : [theirs, typed];
  button.click();
  return given.filter((token) => !kept.includes(token));
}`;
