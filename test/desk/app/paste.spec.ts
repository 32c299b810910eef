/** Pasted content of other programs: texts, kinds and marks arrive, and nothing else. */
import fc from 'fast-check';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fromDocument } from '../../../desk/src/blocks/convert.ts';
import { inert } from '../../../desk/src/parts/inert-html.ts';
import { addressOf } from '../../../desk/src/blocks/set-link.ts';
import { isStorable } from '../../../desk/src/paste/address.ts';
import { isMarkdown } from '../../../desk/src/paste/markdown-signs.ts';
import { nodesOf } from '../../../desk/src/blocks/paste-nodes.ts';
import { readHtml } from '../../../desk/src/paste/read-html.ts';
import { schema } from '../../../desk/src/blocks/schema.ts';
import { checkBlocks } from '../../../src/content/model/blocks.ts';
import { dose } from '../../support/dose.ts';
import { clipboards } from './paste-samples.ts';

// Its types would add those of a browser to the server.
const require = createRequire(import.meta.url);
const { window } = new (require('jsdom').JSDOM)('');

/** Blocks of pasted HTML. The parser runs no script, as that of a browser for such documents. */
function paste(html: string): readonly any[] {
  const { body } = new window.DOMParser().parseFromString(inert(html), 'text/html');
  const content = nodesOf(readHtml(body));
  const document = schema.nodes.doc.create(
    null,
    content.length === 0 ? [schema.nodes.paragraph.create()] : [...content],
  );
  document.check();
  return fromDocument(document) ?? [];
}

const textOf = (value: any): string =>
  Array.isArray(value)
    ? value.map(textOf).join(' ')
    : typeof value?.text === 'string'
      ? value.text
      : textOf(value?.children ?? []);

const KEYS = [
  'type',
  'children',
  'text',
  'level',
  'format',
  'indentLevel',
  'language',
  'url',
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'code',
];

const keysOf = (value: any): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Array.isArray(value)
      ? value.flatMap(keysOf)
      : [...Object.keys(value), ...Object.values(value).flatMap(keysOf)];

const urlsOf = (value: any): string[] =>
  Array.isArray(value)
    ? value.flatMap(urlsOf)
    : [
        ...(value?.type === 'link' ? [value.url] : []),
        ...(value?.children === undefined ? [] : urlsOf(value.children)),
      ];

const FIXTURES = join(import.meta.dirname, 'clipboards');

const longAddress = (length: number): string => 'https://example.org/'.padEnd(length, 'a');

describe('a paste into the editor of blocks', () => {
  it('keeps every word of 1,000 clipboards, and brings no script, style or address that runs one', () => {
    fc.assert(
      fc.property(clipboards, ({ html, words }) => {
        const blocks = paste(html);
        const text = textOf(blocks);
        let from = 0;
        for (const word of words) {
          const at = text.indexOf(word, from);
          if (at < 0) throw new Error(`Lost: ${word} of ${html} in ${text}`);
          from = at + word.length;
        }
        expect(text).not.toMatch(/attack\(\)|color: red/);
        expect(urlsOf(blocks).filter((url) => !/^(?:https?:|mailto:|tel:|\/)/.test(url))).toEqual([]);
        expect(keysOf(blocks).filter((key) => !KEYS.includes(key))).toEqual([]);
        expect(checkBlocks(blocks)).toEqual([]);
      }),
      { numRuns: dose(200, 1000) },
    );
  }, 600_000);

  it('reads any text as HTML without an error', () => {
    const soup = fc.array(
      fc.constantFrom(
        '<p>',
        '</p>',
        '<li>',
        '<ul>',
        '</ul>',
        '<table>',
        '<td>',
        '<b>',
        '</i>',
        '<pre>',
        '<h1>',
        '<!--',
        '-->',
        '<br>',
        ' ',
        '\n',
        'text',
        '<div style="white-space:pre">',
        '<blockquote>',
        '</blockquote>',
        '<p class=MsoListParagraph style="mso-list:l0 level9 lfo1">',
        '<svg>',
        '</svg>',
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(soup, (parts) => {
        expect(checkBlocks(paste(parts.join('')))).toEqual([]);
      }),
      { numRuns: dose(300, 5000) },
    );
  }, 600_000);

  const fixtures = globSync('*.html', { cwd: FIXTURES }).sort();
  it.each(fixtures)('reads the clipboard of %s', (name) => {
    const blocks = paste(readFileSync(join(FIXTURES, name), 'utf8'));
    const expected = readFileSync(join(FIXTURES, `${basename(name, '.html')}.json`), 'utf8');
    expect(blocks).toEqual(JSON.parse(expected));
  });

  it('has clipboards of Word, Google Docs, Notion, LibreOffice and a web page', () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(5);
  });

  it.each([
    ['# Heading', true],
    ['- one\n- two', true],
    ['A **bold** word', true],
    ['See [us](https://example.org)', true],
    ['Plain words, 2 * 3 * 4', false],
    ['a_b and c_d', false],
    ['Price: 5 #1', false],
  ])('takes %j for Markdown: %s', (text, expected) => {
    expect(isMarkdown(text)).toBe(expected);
  });

  it.each([
    ['example.org', 'https://example.org/'],
    ['ann@example.org', 'mailto:ann@example.org'],
    [' /path ', '/path'],
    ['http://a/ b', 'http://a/%20b'],
    ['Tel:+49301', 'tel:+49301'],
    ['MAILTO:ann@example.org', 'mailto:ann@example.org'],
    [longAddress(2084), longAddress(2084)],
    [longAddress(2085), null],
    ['javascript:alert(1)', null],
    ['two words', null],
  ])('reads the typed address %j', (typed, expected) => {
    expect(addressOf(typed)).toBe(expected);
  });

  it.each([
    'Tel:+49301',
    'tel:+49301',
    'Mailto:ann@example.org',
    'Mailto:ann',
    '#part',
    '/page',
    'ftp://example.org/a',
    'example.org/a',
    longAddress(2084),
    longAddress(2085),
    'javascript:alert(1)',
  ])('keeps a copied link only if the API accepts it: %j', (url) => {
    const link = { type: 'link', url, children: [{ type: 'text', text: 'a' }] };
    const refusals = checkBlocks([{ type: 'paragraph', children: [link] }]);
    expect(isStorable(url)).toBe(refusals.length === 0);
  });
});
