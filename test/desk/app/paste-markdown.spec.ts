/** Pasted content in a field for Markdown: it reads as what was copied, whatever signs its texts have. */
import fc from 'fast-check';
import { createRequire } from 'node:module';
import { marked } from 'marked';
import { toMarkdown } from '../../../desk/src/markdown/to-markdown.ts';
import { inert } from '../../../desk/src/parts/inert-html.ts';
import { isSource } from '../../../desk/src/paste/clipboard.ts';
import { type Block, type List, readHtml, type Run } from '../../../desk/src/paste/read-html.ts';
import { dose } from '../../support/dose.ts';
import { clipboards } from './paste-samples.ts';

// Its types would add those of a browser to the server.
const require = createRequire(import.meta.url);
const { window } = new (require('jsdom').JSDOM)('');

const read = (html: string): readonly (Block | List)[] =>
  readHtml(new window.DOMParser().parseFromString(inert(html), 'text/html').body);

const paste = (html: string): string =>
  toMarkdown(read(html), (address) => (address.startsWith('/uploads/') ? address : null));

const render = (markdown: string): string => marked.parse(markdown, { async: false });

const runsOf = (entries: readonly (Block | List)[]): readonly Run[] =>
  entries.flatMap((entry) => ('entries' in entry ? runsOf(entry.entries) : entry.runs));

/** Letters and digits of HTML, each with its marks. Markdown has no underlined texts. */
function lettersOf(html: string): readonly string[] {
  return runsOf(read(html)).flatMap(({ text, names, url }) => {
    const marks = names.filter((name) => name !== 'underline').sort();
    return [...text].filter((one) => /[\p{L}\p{N}]/u.test(one)).map((one) => [one, ...marks, url].join(' '));
  });
}

const textOf = (html: string): string =>
  runsOf(read(html))
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, '');

describe('a paste into a field for Markdown', () => {
  it('keeps the words of 1,000 clipboards with their marks and links', () => {
    fc.assert(
      fc.property(clipboards, ({ html }) => {
        const markdown = paste(html);
        expect(textOf(render(markdown))).toBe(textOf(html));
        expect(lettersOf(render(markdown))).toEqual(lettersOf(html));
      }),
      { numRuns: dose(200, 1000) },
    );
  }, 600_000);

  it('keeps the signs of any text', () => {
    const part = fc.oneof(
      fc.constantFrom(...'*_`~[]()<>#+-.!|&\\=:1 \n'),
      fc.constantFrom(
        'a',
        'b c',
        '&amp;',
        '](',
        '1. ',
        '- ',
        '> ',
        '# ',
        '```',
        '---',
        '![',
        '</b>',
        ': ',
        'Ä',
      ),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 25 }),
        fc.constantFrom('p', 'li', 'h2', 'td', 'blockquote'),
        (parts, tag) => {
          const text = parts.join('');
          const inner = text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
          const html =
            tag === 'td'
              ? `<table><tr><td>${inner}</td><td>b</td></tr></table>`
              : `<${tag}>${inner}</${tag}>`;
          expect([textOf(render(paste(html))), paste(html)]).toEqual([textOf(html), paste(html)]);
        },
      ),
      { numRuns: dose(1000, 20_000) },
    );
  }, 600_000);

  it.each([
    [
      'a heading, a list in a list',
      '<h3>A</h3><ol><li>b<ul><li>c</li></ul></li><li>d</li></ol>',
      '### A\n\n1. b\n   - c\n2. d',
    ],
    ['marks', '<p>a <b>b <i>c</i></b> <s>d</s> <code>e`f</code></p>', 'a **b *c*** ~~d~~ ``e`f``'],
    ['spaces and colons in marks', '<p><b>To: </b>you, <i>a:</i>b</p>', '**To:** you, *a*:b'],
    ['links', '<a href="https://a.org/b_(c)">x [1]</a>', '[x \\[1\\]](https://a.org/b_%28c%29)'],
    ['line breaks and paragraphs', '<p>a<br>b</p><p>c</p>', 'a  \nb\n\nc'],
    [
      'a table',
      '<table><tr><th>A|B<th>C<tr><td colspan=2>d<tr><td rowspan=2>e<td>f<tr><td><p>g<p>h</table>',
      '| A\\|B | C |\n| --- | --- |\n| d |  |\n| e | f |\n|  | g h |',
    ],
    ['a table for the layout of a page', '<table><tr><td><ul><li>a</ul><td>b</table>', '- a\n\nb'],
    ['pictures of this server', '<p>a <img src="/uploads/b.png" alt="B"></p>', 'a ![B](/uploads/b.png)'],
    [
      'alternative texts of other pictures',
      '<p>a <img src="https://b.org/c.png" alt="C"> <img src="data:image/png,"></p>',
      'a C',
    ],
    ['code', '<pre><code class="language-ts">a`\n  b</code></pre>', '```ts\na`\n  b\n```'],
    ['two lists', '<ul><li>a</ul><ul><li>b</ul>', '- a\n\n* b'],
  ])('writes %s', (_what, html, markdown) => {
    expect(paste(html)).toBe(markdown);
  });

  it.each([
    [
      '<meta charset=\'utf-8\'><div style="font-family: Menlo, monospace;white-space: pre;"><div># A</div></div>',
      true,
    ],
    ['<html><body><pre style="color:#fff">a</pre></body></html>', true],
    ['<!--StartFragment--><p>a</p>', false],
    ['<b style="font-weight:normal" id="docs-internal-guid-1"><p>a</p></b>', false],
    ['<div>a</div>', false],
  ])('takes %j for a piece of a source file: %s', (html, expected) => {
    expect(isSource(html)).toBe(expected);
  });
});
