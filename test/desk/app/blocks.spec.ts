/** Values of `blocks` come back from the editor as they were, whatever is in them. */
import fc from 'fast-check';
import { canonical, fromDocument, toDocument } from '../../../desk/src/blocks/convert.ts';
import { isSafeUrl, MARKS } from '../../../desk/src/blocks/schema.ts';

const back = (value: unknown): unknown => fromDocument(toDocument(value));

const text = fc
  .record({ text: fc.string({ minLength: 1, maxLength: 12 }), on: fc.subarray([...MARKS]) })
  .map(({ text: content, on }) => ({
    type: 'text',
    text: content,
    ...Object.fromEntries(on.map((name) => [name, true])),
  }));
const link = fc
  .record({ url: fc.webUrl(), children: fc.array(text, { minLength: 1, maxLength: 2 }) })
  .map((rest) => ({ type: 'link', ...rest }));
const inlines = fc.array(fc.oneof({ weight: 3, arbitrary: text }, link), { maxLength: 4 });
const blockOf = (type: string) => inlines.map((children) => ({ type, children }));
const heading = fc
  .record({ level: fc.integer({ min: 1, max: 6 }), children: inlines })
  .map((rest) => ({ type: 'heading', ...rest }));
const { list } = fc.letrec((tie) => ({
  list: fc
    .record({
      format: fc.constantFrom('ordered', 'unordered'),
      children: fc.array(tie('item'), { minLength: 1, maxLength: 3 }),
    })
    .map((rest) => ({ type: 'list', ...rest })),
  item: fc.oneof({ maxDepth: 3, weight: 3, arbitrary: blockOf('list-item') }, tie('list')),
}));
const strange = fc.record({ type: fc.constantFrom('table', 'paragraph', 'video'), data: fc.jsonValue() });
const blocks = fc.array(
  fc.oneof(blockOf('paragraph'), blockOf('quote'), blockOf('code'), heading, list, strange),
  {
    minLength: 1,
    maxLength: 5,
  },
);

describe('the editor of blocks', () => {
  it('returns every value as it was, also what it does not know', () => {
    fc.assert(
      fc.property(blocks, (value) => {
        const expected = canonical(value);
        const actual = canonical(
          back(value) ?? [{ type: 'paragraph', children: [{ type: 'text', text: '' }] }],
        );
        // One empty paragraph is no content.
        const isEmpty =
          value.length === 1 && toDocument(value).textContent === '' && toDocument(value).childCount === 1;
        if (!isEmpty) expect(actual).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [
      'a picture',
      { type: 'image', image: { url: '/uploads/a.png', width: 10 }, children: [{ type: 'text', text: '' }] },
    ],
    ['a picture with more', { type: 'image', image: { url: '/a' }, caption: 'x', children: [] }],
    ['marks that are off', { type: 'paragraph', children: [{ type: 'text', text: 'a', bold: false }] }],
    ['unknown marks', { type: 'paragraph', children: [{ type: 'text', text: 'a', colour: 'red' }] }],
    [
      'nested lists',
      {
        type: 'list',
        format: 'ordered',
        children: [
          { type: 'list-item', children: [{ type: 'text', text: 'a' }] },
          {
            type: 'list',
            format: 'unordered',
            indentLevel: 1,
            children: [{ type: 'list-item', children: [{ type: 'text', text: 'b' }] }],
          },
        ],
      },
    ],
    [
      'a link between texts',
      {
        type: 'paragraph',
        children: [
          { type: 'text', text: 'a' },
          {
            type: 'link',
            url: 'https://example.org',
            rel: 'nofollow',
            children: [{ type: 'text', text: 'b', bold: true }],
          },
          { type: 'text', text: '' },
        ],
      },
    ],
    ['code with a language', { type: 'code', language: 'ts', children: [{ type: 'text', text: 'a\nb' }] }],
    [
      'an address that is no link',
      {
        type: 'paragraph',
        children: [
          { type: 'text', text: '' },
          { type: 'link', url: 'javascript:alert(1)', children: [{ type: 'text', text: 'x' }] },
          { type: 'text', text: '' },
        ],
      },
    ],
  ])('keeps %s', (_name, block) => {
    expect(canonical(back([block]))).toBe(canonical([block]));
  });

  it('is empty for no value, and has no value when it is empty', () => {
    expect([null, undefined, [], 'text'].map(back)).toEqual([null, null, null, null]);
  });

  it.each([
    ['https://example.org', true],
    ['mailto:a@example.org', true],
    ['/path', true],
    ['page#part', true],
    ['javascript:alert(1)', false],
    ['JAVASCRIPT:alert(1)', false],
    ['data:text/html,x', false],
    ['java\nscript:alert(1)', false],
  ])('opens %j: %s', (url, expected) => {
    expect(isSafeUrl(url)).toBe(expected);
  });
});
