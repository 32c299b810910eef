/** Journeys of editors in long texts: `blocks` and `richtext`, with the built desk. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import sharp from 'sharp';
import { hasBrowser, launch, type Opened, openPage } from './browser.ts';
import { Editor } from './editor.ts';
import { type Newsroom, startNewsroom } from './newsroom.ts';
import { checkViews } from './views.ts';

const PASSWORD = 'a long password of an editor';
const CLIPBOARDS = join(import.meta.dirname, '../app/clipboards');

/** Pastes as a keyboard does: the page gets the event with its data. It runs in the page. */
const PASTE = `(selector, data) => {
  const clipboardData = new DataTransfer();
  for (const [type, text] of Object.entries(data)) clipboardData.setData(type, text);
  const target = document.querySelector(selector);
  target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}`;

/** Drops a picture onto an element. It runs in the page. */
const DROP = `(selector, name, base64) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], name, { type: 'image/png' }));
  const target = document.querySelector(selector);
  const { right, top } = target.getBoundingClientRect();
  const more = { bubbles: true, cancelable: true, clientX: right - 20, clientY: top + 20 };
  target.dispatchEvent(new DragEvent('drop', { dataTransfer, ...more }));
}`;

/** Drops a text onto the middle of an element. It runs in the page. */
const DROP_TEXT = `(selector, data) => {
  const dataTransfer = new DataTransfer();
  for (const [type, text] of Object.entries(data)) dataTransfer.setData(type, text);
  const target = document.querySelector(selector);
  const { left, top, height } = target.getBoundingClientRect();
  const more = { bubbles: true, cancelable: true, clientX: left + 2, clientY: top + height / 2 };
  target.dispatchEvent(new DragEvent('drop', { dataTransfer, ...more }));
}`;

/** Begins to drag a text with HTML from an element. Returns the HTML that is left. It runs in the page. */
const DRAG = `(selector) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.setData('text/html', '<b>**bold**</b>');
  const more = { bubbles: true, cancelable: true, dataTransfer };
  document.querySelector(selector).dispatchEvent(new DragEvent('dragstart', more));
  return dataTransfer.getData('text/html');
}`;

const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 320, height: 200, channels: 3, background: '#3355aa' } })
    .png()
    .toBuffer();

const STORY = '[data-path=story] [role=textbox]';

const BODY = '[data-path=body] [role=textbox]';
const PREVIEW = '.desk-markdown-preview';

const text = (content: string, more: object = {}): object => ({ type: 'text', text: content, ...more });
const paragraph = (...children: object[]): object => ({ type: 'paragraph', children });

(hasBrowser ? describe : describe.skip)('an editor of long texts', () => {
  let room: Newsroom;
  let browser: Browser;
  let opened: Opened;
  let ann: Editor;
  let jwt = '';

  beforeAll(async () => {
    room = await startNewsroom('express');
    browser = await launch();
    opened = await openPage(browser, room.url);
    ann = new Editor(opened.page, room.desk);
    await ann.acceptInvitation(await room.invite('ann@example.org'), PASSWORD);
    const body = { identifier: 'ann@example.org', password: PASSWORD };
    ({ jwt } = (await room.http.post('/desk/session').send(body).expect(200)).body);
    await room.http
      .post('/api/upload')
      .set('Authorization', `Bearer ${jwt}`)
      .attach('files', await picture(), 'Harbour.png')
      .expect(201);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await room?.close();
  });
  // Violations of the policy are errors of the console.
  afterEach(() => expect(opened.complaints.splice(0)).toEqual([]));

  /** Presses a tool of one editor. */
  const tool = (field: string, name: string): Promise<void> =>
    ann.page.locator(`[data-path=${field}] ::-p-aria([name="${name}"][role="button"])`).click();
  const api = async (method: 'get' | 'post' | 'put', path: string, data?: object): Promise<any> => {
    const request = room.http[method](`/api${path}`).set('Authorization', `Bearer ${jwt}`);
    const response = await (data === undefined ? request : request.send({ data }));
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return response.body.data ?? response.body;
  };
  const stored = (documentId: string): Promise<any> => api('get', `/articles/${documentId}?status=draft`);
  /** Opens a new article with these values. */
  const write = async (values: object): Promise<string> => {
    const { documentId } = await api('post', '/articles?status=draft', { title: 'A long text', ...values });
    await ann.open(`/content/article/${documentId}`);
    await ann.page.waitForSelector(STORY);
    return documentId;
  };
  const press = async (...keys: readonly string[]): Promise<void> => {
    const { keyboard } = ann.page;
    for (const key of keys) {
      const parts = key.split('+');
      const last = parts.pop() ?? '';
      for (const part of parts) await keyboard.down(part as 'Control');
      await keyboard.press(last as 'Enter');
      for (const part of parts.reverse()) await keyboard.up(part as 'Control');
    }
  };
  /** Waits until the editor has read the selection of the page. */
  const settled = (): Promise<unknown> =>
    ann.page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  const type = (words: string): Promise<void> => ann.page.keyboard.type(words);
  /** Inserts a text as one step of the undo history, which slow keystrokes would divide. */
  const insert = (text: string): Promise<void> => ann.page.keyboard.sendCharacter(text);
  const paste = (selector: string, data: object): Promise<unknown> =>
    ann.page.evaluate(`(${PASTE})(${JSON.stringify(selector)}, ${JSON.stringify(data)})`);
  const drop = async (selector: string, name: string): Promise<unknown> =>
    ann.page.evaluate(
      `(${DROP})(${JSON.stringify(selector)}, '${name}', '${(await picture()).toString('base64')}')`,
    );

  it('formats a text with the tools', async () => {
    const id = await write({});
    await (await ann.field('Story')).click();
    await type('Morning');
    await tool('story', 'Kind of block: Paragraph');
    await ann.item('Heading 2');
    await ann.until('focus', async () => (await ann.focused()) === 'Story');
    await press('Enter');
    await type('The first ferry');
    await press('Shift+Home');
    await settled();
    await tool('story', 'Bold');
    await press('End');
    await settled();
    await press('Enter');
    await tool('story', 'List');
    await type('Tickets');
    await press('Enter');
    await type('for adults');
    await tool('story', 'Indent');
    await ann.sees('7 words');
    await ann.saved();
    const item = (content: string): object => ({
      type: 'list-item',
      children: [text(content)],
    });
    expect((await stored(id)).story).toEqual([
      { type: 'heading', level: 2, children: [text('Morning')] },
      paragraph(text('The first ferry', { bold: true })),
      {
        type: 'list',
        format: 'unordered',
        children: [
          item('Tickets'),
          { type: 'list', format: 'unordered', indentLevel: 1, children: [item('for adults')] },
        ],
      },
    ]);
  });

  it('formats a text by keyboard alone, by signs and in the toolbar', async () => {
    const id = await write({});
    await ann.reach('Story');
    for (const line of ['## Morning', 'A **bold**, *sloped*, `coded` and ~~gone~~ word', '1. one']) {
      await type(line);
      await press('Enter');
    }
    await type('inner');
    await press('Tab', 'Enter', 'Enter', 'Enter');
    await type('> said');
    await press('Enter');
    await type('```ts ');
    await type('let a;');
    await press('Enter');
    await type('a = 1;');
    await press('Control+Enter');
    await type('under');
    await press('Shift+Home');
    await settled();
    await press('Alt+F10');
    expect(await ann.focused()).toMatch(/^Kind of block: /);
    for (let at = 0; at < 3; at += 1) await press('ArrowRight');
    expect(await ann.focused()).toBe('Underline');
    await press('Enter');
    await press('End');
    await type('!');
    await ann.saved();
    expect((await stored(id)).story).toEqual([
      { type: 'heading', level: 2, children: [text('Morning')] },
      paragraph(
        text('A '),
        text('bold', { bold: true }),
        text(', '),
        text('sloped', { italic: true }),
        text(', '),
        text('coded', { code: true }),
        text(' and '),
        text('gone', { strikethrough: true }),
        text(' word'),
      ),
      {
        type: 'list',
        format: 'ordered',
        children: [
          { type: 'list-item', children: [text('one')] },
          {
            type: 'list',
            format: 'ordered',
            indentLevel: 1,
            children: [{ type: 'list-item', children: [text('inner')] }],
          },
        ],
      },
      { type: 'quote', children: [text('said')] },
      { type: 'code', language: 'ts', children: [text('let a;\na = 1;')] },
      paragraph(text('under!', { underline: true })),
    ]);
  });

  it.each(['google-docs', 'word', 'notion'])('pastes from %s', async (name) => {
    const id = await write({});
    await ann.page.focus(STORY);
    await paste(STORY, {
      'text/html': await readFile(join(CLIPBOARDS, `${name}.html`), 'utf8'),
      'text/plain': 'The harbour',
    });
    await ann.saved();
    const expected = JSON.parse(await readFile(join(CLIPBOARDS, `${name}.json`), 'utf8'));
    expect((await stored(id)).story).toEqual(expected);
  });

  it('pastes Markdown, and its own copies with everything in them', async () => {
    const story = [
      { type: 'heading', level: 3, anchor: 'top', children: [text('One', { colour: 'red' })] },
      paragraph(text('Two')),
    ];
    const id = await write({ story });
    await ann.page.focus(STORY);
    await press('Control+a');
    await settled();
    const copied = await ann.page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      const event = new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('${STORY}').dispatchEvent(event);
      return { 'text/html': clipboardData.getData('text/html'), 'text/plain': clipboardData.getData('text/plain') };
    })()`);
    await press('Control+End', 'Enter');
    await settled();
    await paste(STORY, copied as object);
    await press('Control+End', 'Enter');
    await settled();
    await paste(STORY, { 'text/plain': '## Parts\n\n- a **b**\n- [c](https://example.org)\n' });
    await ann.sees('Parts');
    await ann.saved();
    expect((await stored(id)).story).toEqual([
      ...story,
      ...story,
      { type: 'heading', level: 2, children: [text('Parts')] },
      {
        type: 'list',
        format: 'unordered',
        children: [
          { type: 'list-item', children: [text('a '), text('b', { bold: true })] },
          {
            type: 'list-item',
            children: [
              text(''),
              { type: 'link', url: 'https://example.org/', children: [text('c')] },
              text(''),
            ],
          },
        ],
      },
    ]);
  });

  it('links the selected text to an address that it pastes', async () => {
    const id = await write({ story: [paragraph(text('See the source'))] });
    await ann.page.focus(STORY);
    await press('Control+a');
    await settled();
    await paste(STORY, { 'text/plain': 'https://example.org/a?b=1' });
    await ann.saved();
    const link = { type: 'link', url: 'https://example.org/a?b=1', children: [text('See the source')] };
    expect((await stored(id)).story).toEqual([paragraph(text(''), link, text(''))]);
  });

  it('keeps the selected text if a paste has nothing that it can take', async () => {
    const id = await write({ story: [paragraph(text('Kept'))], body: 'Kept' });
    for (const field of [STORY, BODY]) {
      await ann.page.waitForSelector(field);
      await ann.page.focus(field);
      await press('Control+a');
      await settled();
      await paste(field, { 'text/html': '<img src="https://example.org/a.png">' });
      await settled();
      await press('Control+End');
      await settled();
      await type('!');
    }
    await ann.saved();
    const { story, body } = await stored(id);
    expect([story, body]).toEqual([[paragraph(text('Kept!'))], 'Kept!']);
  });

  it('replaces several paragraphs by an address that it pastes', async () => {
    const url = 'https://example.org/a';
    const id = await write({ story: [paragraph(text('one')), paragraph(text('two'))] });
    await ann.page.focus(STORY);
    await press('Control+a');
    await settled();
    await paste(STORY, { 'text/plain': url });
    await ann.saved();
    expect((await stored(id)).story).toEqual([paragraph(text(url))]);
  });

  it('links everything to an address', async () => {
    const url = 'https://example.org/a';
    const id = await write({ story: [paragraph(text('one')), paragraph(text('two'))] });
    await ann.page.focus(STORY);
    await press('Control+a');
    await settled();
    await press('Control+k');
    await ann.fill('Address', url);
    await press('Enter');
    await ann.saved();
    const link = (content: string): object => ({ type: 'link', url, children: [text(content)] });
    expect((await stored(id)).story).toEqual(
      ['one', 'two'].map((content) => paragraph(text(''), link(content), text(''))),
    );
  });

  it('pastes from other editors of the same library, which mark their copies alike', async () => {
    const id = await write({ story: null });
    await paste(STORY, {
      'text/html':
        '<ul data-pm-slice="3 3 []"><li><p>one <b>bold</b></p><ul><li><p>inner</p></li></ul></li></ul>' +
        '<blockquote style="color: red"><p>said</p></blockquote>',
    });
    await ann.sees('said');
    await ann.saved();
    expect((await stored(id)).story).toEqual([
      {
        type: 'list',
        format: 'unordered',
        children: [
          { type: 'list-item', children: [text('one '), text('bold', { bold: true })] },
          {
            type: 'list',
            format: 'unordered',
            indentLevel: 1,
            children: [{ type: 'list-item', children: [text('inner')] }],
          },
        ],
      },
      { type: 'quote', children: [text('said')] },
    ]);
  });

  it('gets the plain text of the first paste if the network is away', async () => {
    const id = await write({ story: null });
    await ann.openAnew(`/content/article/${id}`);
    await ann.page.waitForSelector(STORY);
    // As in a browser that has not pasted before.
    await ann.page.setCacheEnabled(false);
    await ann.page.setOfflineMode(true);
    await paste(STORY, { 'text/html': '<h2>Parts</h2><p>of a text</p>', 'text/plain': 'Parts\nof a text' });
    await ann.sees('of a text');
    await ann.page.setOfflineMode(false);
    await ann.page.setCacheEnabled(true);
    await ann.saved();
    expect((await stored(id)).story).toEqual([paragraph(text('Parts')), paragraph(text('of a text'))]);
  });

  it('inserts pictures: of the library with another alternative text, and by drop', async () => {
    const id = await write({ story: [paragraph(text('Text'))] });
    await ann.page.focus(STORY);
    await press('Control+End', 'Enter');
    await tool('story', 'Picture');
    await ann.page.locator('.desk-tile').click();
    await ann.page.waitForFunction(`document.querySelector('${STORY} img')?.naturalWidth > 0`);
    await ann.page.click(`${STORY} img`);
    await tool('story', 'Alternative text');
    await ann.fill('Alternative text', 'A harbour at dawn');
    await ann.press('Apply');
    await ann.saved();
    await drop(`${STORY} p`, 'dropped.png');
    await ann.until('two pictures', async () => (await ann.page.$$(`${STORY} img`)).length === 2);
    await ann.saved();
    const { story } = await stored(id);
    const images = story.filter((one: any) => one.type === 'image').map((one: any) => one.image);
    expect(images.map((one: any) => one.name).sort()).toEqual(['Harbour.png', 'dropped.png']);
    expect(images.find((one: any) => one.name === 'Harbour.png')).toMatchObject({
      alternativeText: 'A harbour at dawn',
      width: 320,
    });
  });

  it('links to an address, and to a document that it finds by search', async () => {
    const { documentId: target } = await api('post', '/tags', { label: 'Politics' });
    const id = await write({ story: [paragraph(text('here there'))] });
    await ann.page.focus(STORY);
    await press('Control+Home', 'Control+Shift+ArrowRight');
    await settled();
    await press('Control+k');
    await ann.fill('Address', 'javascript:alert(1)');
    await ann.sees('Enter the address of a page');
    await ann.fill('Address', 'example.org/a');
    await press('Enter');
    await ann.seesNot('Or a document');
    await press('End', 'Control+Shift+ArrowLeft');
    await settled();
    await press('Control+k');
    await ann.sees('Or a document');
    await ann.page.locator('.mantine-Popover-dropdown input.mantine-Select-input').click();
    await ann.option('Tag');
    await ann.link('Choose Tag', 'Poli', 'Politics');
    await ann.saved();
    expect((await stored(id)).story).toEqual([
      paragraph(
        text(''),
        { type: 'link', url: 'https://example.org/a', children: [text('here')] },
        text(' '),
        {
          type: 'link',
          url: `/tags/${target}`,
          document: { type: 'tag', documentId: target },
          children: [text('there')],
        },
        text(''),
      ),
    ]);
  });

  it('undoes its own steps after a save, and after a change of another editor to another paragraph', async () => {
    const id = await write({ story: [paragraph(text('one')), paragraph(text('two'))] });
    await ann.page.focus(STORY);
    await press('Control+End');
    await insert(' more');
    await ann.saved();
    await press('Control+z');
    await ann.saved();
    expect((await stored(id)).story[1]).toEqual(paragraph(text('two')));
    await press('Control+y');
    await ann.saved();
    await api('put', `/articles/${id}?status=draft`, {
      story: [paragraph(text('ONE')), paragraph(text('two more'))],
    });
    await ann.fill('Lead', 'A change that reads what is stored');
    await ann.saved();
    await ann.until('the change', async () => (await ann.texts(`${STORY} p`))[0] === 'ONE');
    await ann.page.focus(STORY);
    await press('Control+z');
    await ann.saved();
    expect((await stored(id)).story).toEqual([paragraph(text('ONE')), paragraph(text('two'))]);
  });

  it('keeps what it does not know when something else is edited', async () => {
    const strange = [
      { ...paragraph(text('A '), text('red', { colour: 'red', bold: false })), align: 'center' },
      { type: 'code', language: 'mermaid', theme: { dark: true }, children: [text('graph')] },
      paragraph(
        text(''),
        { type: 'link', url: '/a', rel: 'nofollow', id: 7, children: [text('link')] },
        text(''),
      ),
    ];
    const id = await write({ story: [...strange, paragraph(text('two\nlines end'))] });
    await ann.page.focus(STORY);
    await press('Control+Home');
    await type('Not ');
    await press('Control+End');
    await type('ing');
    await ann.saved();
    const [first, ...others] = strange as any[];
    const children = [text('Not A '), ...first.children.slice(1)];
    expect((await stored(id)).story).toEqual([
      { ...first, children },
      ...others,
      paragraph(text('two\nlines ending')),
    ]);
  });

  it('says before a change that a block of another program prevents saving, and saves without it', async () => {
    const id = await write({ story: [paragraph(text('before'))] });
    const table = { type: 'table', rows: [['a']] };
    // The API refuses such a block. Direct SQL does not.
    await room.sql(`update articles set story = $2, revision = revision + 1 where document_id = $1`, [
      id,
      JSON.stringify([table, paragraph(text('before'))]),
    ]);
    await ann.openAnew(`/content/article/${id}`);
    await ann.sees('"rows":[["a"]]');
    const notice = 'This text has blocks from another program: table.';
    await ann.sees(notice);
    // Other fields are saved, and the block stays.
    await ann.fill('Lead', 'Saved');
    await ann.saved();
    expect(await stored(id)).toMatchObject({ lead: 'Saved', story: [table, paragraph(text('before'))] });
    await ann.page.click(`${STORY} p`);
    await press('End');
    await type(' and after');
    await ann.sees('3 words');
    await ann.sees('Not everything is saved');
    expect((await stored(id)).story).toEqual([table, paragraph(text('before'))]);
    await ann.page.click(`${STORY} .desk-other-block`);
    await press('Delete');
    await ann.seesNot(notice);
    await ann.saved();
    expect((await stored(id)).story).toEqual([paragraph(text('before and after'))]);
  });

  it('decides when another editor has changed the same text', async () => {
    const id = await write({ story: [paragraph(text('The sea'))] });
    await api('put', `/articles/${id}?status=draft`, { story: [paragraph(text('The lake'))] });
    await ann.page.focus(STORY);
    await press('Control+End');
    await type(' at night');
    await ann.sees('Another editor has changed the same fields');
    const sides = await ann.texts('[data-conflict=story] .mantine-Paper-root');
    expect(sides[0]).toContain('The sea at night');
    expect(sides[1]).toContain('The lake');
    expect(sides.join()).not.toContain('"type"');
    await ann.press('Take theirs: Story');
    await ann.seesNot('Take theirs');
    expect(await ann.texts(`${STORY} p`)).toEqual(['The lake']);
    expect((await stored(id)).story).toEqual([paragraph(text('The lake'))]);
  });

  it('pastes HTML into Markdown, and code or Markdown as it is', async () => {
    const id = await write({ body: 'intro' });
    // The page of a test before could not load the reader.
    await ann.openAnew(`/content/article/${id}`);
    await ann.page.waitForSelector(BODY);
    await ann.page.focus(BODY);
    await press('Control+End');
    const html = await readFile(join(CLIPBOARDS, 'word.html'), 'utf8');
    await paste(BODY, { 'text/html': html, 'text/plain': 'The harbour' });
    await ann.sees('# The harbour');
    await press('Control+End', 'Enter');
    await settled();
    await paste(BODY, { 'text/html': '<p># As <span>it</span> is</p>', 'text/plain': '# As it is' });
    await ann.sees('# As it is');
    await press('Enter', 'Enter');
    await type('```');
    await press('Enter');
    await settled();
    await paste(BODY, { 'text/html': '<p>a <b>bold</b> *word*</p>', 'text/plain': 'a bold *word*' });
    await ann.saved();
    expect((await stored(id)).body).toBe(
      [
        'intro\n\n# The harbour\n\n## Morning\n',
        'The **first ferry** leaves at *six*, as the [timetable](https://example.org/timetable) says.\n',
        '- Tickets\n  1. for adults\n  2. for children\n- Coffee\n\n> “Never late.”\n',
        '| Pier | Time |\n| --- | --- |\n| A | 06:00 |\n# As it is\n\n```\na bold *word*',
      ].join('\n'),
    );
  });

  it('writes Markdown by tools and keys, with a picture by drop and another one of the library', async () => {
    const id = await write({ body: 'intro\r\n' });
    await ann.page.waitForSelector(BODY);
    await ann.page.focus(BODY);
    await press('Control+End');
    await type('Morning');
    await tool('body', 'Heading 2');
    await press('End', 'Enter');
    await type('- one');
    await press('Enter');
    await type('two');
    await press('Enter', 'Enter');
    await press('Control+b');
    await type('bold');
    await press('Control+b');
    await settled();
    await press('End', 'Enter');
    await type('See ');
    await paste(BODY, { 'text/plain': 'here' });
    await press('Control+Shift+ArrowLeft');
    await settled();
    await paste(BODY, { 'text/plain': 'https://example.org' });
    await press('Control+End', 'Enter');
    await tool('body', 'Picture');
    await ann.page.locator('.desk-tile ::-p-text(Harbour.png)').click();
    await ann.until('the picture', async () => (await ann.texts(BODY)).join().includes('![Harbour.png]'));
    await drop(`${BODY} .cm-line:nth-child(5)`, 'other.png');
    await ann.until('the upload', async () => (await ann.texts(BODY)).join().includes('![other.png]'));
    await ann.saved();
    const { body } = await stored(id);
    expect(body).toMatch(/^intro\r\n/);
    expect(body.replace(/\]\([^)]*uploads[^)]*\)/g, '](uploaded)')).toContain(
      '## Morning\n- one\n- two\n**bold**![other.png](uploaded)\nSee [here](https://example.org)\n',
    );
    expect(body).toContain('![Harbour.png](/uploads/');
    expect(body).toContain('![other.png](/uploads/');
  });

  it('makes Markdown of a text of a page that is dropped, and drags its own text as it is', async () => {
    const id = await write({ body: 'first\n\nlast' });
    const last = `${BODY} .cm-line:nth-child(3)`;
    await ann.page.waitForSelector(last);
    const page = { 'text/html': '<p>A <b>bold</b> word</p>', 'text/plain': 'A bold word' };
    await ann.page.evaluate(`(${DROP_TEXT})(${JSON.stringify(last)}, ${JSON.stringify(page)})`);
    await ann.until('the drop', async () => (await ann.texts(BODY)).join().includes('**bold**'));
    await ann.saved();
    expect((await stored(id)).body).toBe('first\n\nA **bold** wordlast');
    expect(await ann.page.evaluate(`(${DRAG})(${JSON.stringify(last)})`)).toBe('');
  });

  it('inserts several pictures into Markdown in their order, and types behind them', async () => {
    const id = await write({ body: 'last' });
    await ann.page.waitForSelector(BODY);
    await ann.page.focus(BODY);
    await press('Control+Home');
    await ann.give('paste', BODY, [
      ['one.png', '#112233'],
      ['two.png', '#445566'],
    ]);
    await ann.until('both uploads', async () => (await ann.texts(BODY)).join().includes('![two.png]'));
    await insert(' then ');
    await ann.saved();
    const { body } = await stored(id);
    expect(body.replaceAll(/\]\([^)]*uploads[^)]*\)/g, ']()')).toBe('![one.png]()![two.png]() then last');
  });

  it('undoes Markdown after a save, and keeps what another editor has added', async () => {
    const id = await write({ body: 'one\n\ntwo' });
    await ann.page.waitForSelector(BODY);
    await ann.page.focus(BODY);
    await press('Control+End');
    await insert(' more');
    await ann.saved();
    await api('put', `/articles/${id}?status=draft`, { body: 'ONE\n\ntwo more' });
    await ann.fill('Lead', 'A change that reads what is stored');
    await ann.saved();
    await ann.until('the change', async () => (await ann.texts(`${BODY} .cm-line`))[0] === 'ONE');
    await ann.page.focus(BODY);
    await press('Control+z');
    await ann.saved();
    expect((await stored(id)).body).toBe('ONE\n\ntwo');
  });

  it('reads each line of Markdown in the direction of its text', async () => {
    await write({ body: 'Bread and salt\n\nמלח ולחם' });
    await ann.page.waitForSelector(BODY);
    const directions = `[...document.querySelectorAll('${BODY} .cm-line')]
      .map((line) => getComputedStyle(line).direction)`;
    expect(await ann.page.evaluate(directions)).toEqual(['ltr', 'ltr', 'rtl']);
    await ann.page.focus(BODY);
    await press('Control+End');
    await insert('\nשלום');
    expect(await ann.page.evaluate(directions)).toEqual(['ltr', 'ltr', 'rtl', 'rtl']);
    await ann.saved();
  });

  it('sees a preview of Markdown, and nothing in it runs or looks like the desk', async () => {
    await write({
      body: [
        '# Title',
        '| a | b |\n|---|---|\n| 1 | 2 |',
        '<b onclick="attack()" style="color: red">bold</b> <script>window.attacked = 1</script>',
        '<img src="/nothing.png" onerror="window.attacked = 1"> <style>body { display: none }</style>',
        '[bad](javascript:window.attacked=1) [good](https://example.org) <form action="/x"><input name="p"></form>',
      ].join('\n\n'),
    });
    await ann.press('Preview of Body');
    await ann.page.waitForSelector(`${PREVIEW} td`);
    expect(await ann.texts(`${PREVIEW} h1`)).toEqual(['Title']);
    expect(await ann.texts(`${PREVIEW} b`)).toEqual(['bold']);
    const found = await ann.page.$$eval(`${PREVIEW} *`, (all) =>
      all.flatMap((one) => [...(one as any).attributes].map(({ name, value }) => `${name}=${value}`)),
    );
    expect(found.filter((one) => /^(?:on|style|id|class|name|action)|javascript/.test(one))).toEqual([]);
    expect(await ann.page.$$(`${PREVIEW} :is(form, input, script, style)`)).toEqual([]);
    await ann.page.click(`${PREVIEW} b`);
    expect(await ann.page.evaluate('window.attacked')).toBeUndefined();
    await ann.page.focus(BODY);
    await press('Control+Home');
    await type('# New\n\n');
    await ann.until('the preview', async () => (await ann.texts(`${PREVIEW} h1`))[0] === 'New');
  });

  it('has both editors in all views', async () => {
    const visit = async (): Promise<void> => {
      const image = await api('get', '/upload/files?sort=id');
      await write({
        title: 'The harbour',
        body: '## Morning\n\nThe **first ferry** leaves at `06:00`.\n\n- [Tickets](https://example.org)\n- Coffee\n\n> Never late.',
        story: [
          ...JSON.parse(await readFile(join(CLIPBOARDS, 'notion.json'), 'utf8')),
          { type: 'image', image: image[0], children: [text('')] },
          paragraph(text('The end.', { colour: 'red' })),
        ],
      });
      await ann.page.click(`${STORY} pre`);
      await ann.page.waitForSelector('[aria-label^="Language of the code"]');
    };
    expect(await checkViews(ann.page, 'desk-text', visit)).toEqual([]);
    const preview = async (): Promise<void> => {
      await ann.press('Preview of Body');
      await ann.page.waitForSelector(`${PREVIEW} blockquote`);
      await ann.page.focus(BODY);
      await ann.page.evaluate('scrollTo(0, 250)');
    };
    expect(await checkViews(ann.page, 'desk-markdown', preview)).toEqual([]);
  });
});
