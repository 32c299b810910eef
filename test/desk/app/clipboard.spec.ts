/** Copies of the editor for `blocks`, and pictures that are pasted into it. */
import { createRequire } from 'node:module';
import { DOMParser, DOMSerializer, Slice } from 'prosemirror-model';
import { fromDocument, toDocument } from '../../../desk/src/blocks/convert.ts';
import { schema } from '../../../desk/src/blocks/schema.ts';
import { checkBlocks } from '../../../src/content/model/blocks.ts';

// Their types would add those of a browser to the server.
const require = createRequire(import.meta.url);
const { window } = new (require('jsdom').JSDOM)('');
const MODULE = '../../../desk/src/blocks/clipboard.ts';
const { clipboard } = await import(MODULE);

const inserted: string[] = [];
const { transformPasted, handleDOMEvents } = clipboard(() => ({
  insertImages: async (files: readonly File[]) => void inserted.push(...files.map(({ name }) => name)),
}));

const linkTo = (url: string): object => {
  const text = (content: string): object => ({ type: 'text', text: content });
  return {
    type: 'paragraph',
    children: [text(''), { type: 'link', url, children: [text('here')] }, text('')],
  };
};

/** Copies a value as HTML, and pastes it into another text. */
function copy(value: readonly object[]): unknown {
  const { document } = window;
  const html = document.createElement('div');
  DOMSerializer.fromSchema(schema).serializeFragment(toDocument(value).content, { document }, html);
  const { content } = DOMParser.fromSchema(schema).parse(html);
  const pasted = transformPasted(new Slice(content, 0, 0));
  return fromDocument(schema.nodes.doc.create(null, pasted.content));
}

describe('a copy of the editor', () => {
  it.each([
    'https://example.org/a?b=c#d',
    'HTTP://example.org',
    'www.example.org',
    'www.example.org/a',
    'www.example.org/a?b=c:d',
    'example.org#part',
    'ftp://example.org/a',
    'mailto:ann@example.org',
    'tel:+4930123',
    '/path',
    '#part',
  ])('keeps a link that the API accepts: %s', (url) => {
    expect(checkBlocks([linkTo(url)])).toEqual([]);
    expect(copy([linkTo(url)])).toEqual([linkTo(url)]);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\nscript:alert(1)',
    ' javascript:alert(1)',
    'javascript:1',
    'javascript:/a',
    'javascript://example.org',
    'data:text/html,x',
    'ftp:javascript:alert(1)',
    'vbscript:x',
    './page',
    '',
  ])('has no link that the API does not accept: %j', (url) => {
    expect(copy([linkTo(url)])).toEqual([{ type: 'paragraph', children: [{ type: 'text', text: 'here' }] }]);
  });
});

describe('a pasted picture', () => {
  const paste = (editable: boolean): boolean => {
    const clipboardData = { files: [{ name: 'a.png', type: 'image/png' }], getData: () => '' };
    const event = { clipboardData, preventDefault: () => undefined };
    inserted.length = 0;
    return handleDOMEvents.paste({ editable }, event);
  };

  it('is inserted into a text that can be edited, and into no other one', () => {
    expect(paste(true)).toBe(true);
    expect(inserted).toEqual(['a.png']);
    expect(paste(false)).toBe(false);
    expect(inserted).toEqual([]);
  });
});
