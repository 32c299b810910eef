/** Random values of `blocks`, with much that the format does not name. */
import fc from 'fast-check';
import { MARKS } from '../../../desk/src/blocks/schema.ts';

export type Json = Record<string, any>;

/** Keys that another program, or a later version of the format, may have added. */
const extras = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  fc.record({ colour: fc.constantFrom('red', 'blue'), id: fc.nat(99) }, { requiredKeys: [] }),
  fc.record({ data: fc.jsonValue({ maxDepth: 1 }) }),
);
const withExtras = (arbitrary: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.tuple(arbitrary, extras).map(([node, more]) => ({ ...more, ...node }));

const marks = fc.dictionary(
  fc.constantFrom(...MARKS),
  fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  { maxKeys: 3 },
);
const words = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('', 'a\nb', ' ', 'שלום', '👩🏽‍💻', 'e\u0301'),
);
const text = withExtras(
  fc.tuple(words, marks).map(([content, on]) => ({ type: 'text', text: content, ...on })),
);
const link = withExtras(
  fc.record({
    type: fc.constant('link'),
    url: fc.constantFrom('https://example.org', '/a', 'mailto:a@example.org', 'javascript:alert(1)', ''),
    children: fc.array(text, { maxLength: 3 }),
  }),
);
const inlineStranger = fc.record({ type: fc.constantFrom('mention', 'emoji', 'link'), user: fc.nat(9) });
const inlines = fc.array(
  fc.oneof({ weight: 6, arbitrary: text }, { weight: 3, arbitrary: link }, inlineStranger),
  { maxLength: 5 },
);
const blockOf = (type: string, more: Record<string, fc.Arbitrary<unknown>> = {}): fc.Arbitrary<Json> =>
  withExtras(fc.record({ type: fc.constant(type), ...more, children: inlines }));

const stranger = fc.record({
  type: fc.constantFrom('table', 'paragraph', 'video', 'heading', 'list-item', 'constructor', '__proto__'),
  data: fc.jsonValue({ maxDepth: 2 }),
});
const { list } = fc.letrec<{ list: Json; entry: Json }>((tie) => ({
  list: withExtras(
    fc.record(
      {
        type: fc.constant('list'),
        format: fc.constantFrom('ordered', 'unordered'),
        indentLevel: fc.nat(4),
        children: fc.array(tie('entry'), { minLength: 1, maxLength: 4 }),
      },
      { requiredKeys: ['type', 'format', 'children'] },
    ),
  ),
  entry: fc.oneof(
    { maxDepth: 4 },
    { weight: 5, arbitrary: blockOf('list-item') },
    { weight: 2, arbitrary: tie('list') },
    stranger,
  ),
}));
const image = withExtras(
  fc.record({
    type: fc.constant('image'),
    image: fc.oneof(
      fc.record({
        url: fc.constantFrom('/uploads/a.png', 'javascript:1'),
        width: fc.nat(),
        formats: fc.jsonValue({ maxDepth: 1 }),
      }),
      fc.constant(null),
    ),
    children: fc.constantFrom([{ type: 'text', text: '' }], []),
  }),
);

/** Values with one to six blocks. */
export const blockValues = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: blockOf('paragraph') },
    { weight: 2, arbitrary: blockOf('heading', { level: fc.constantFrom(1, 2, 3, 4, 5, 6, 7, '2') }) },
    blockOf('quote'),
    blockOf('code', { language: fc.constantFrom('ts', null, undefined, 5) }),
    { weight: 3, arbitrary: list },
    image,
    stranger,
  ),
  { minLength: 1, maxLength: 6 },
);

const NAMED: readonly string[] = ['type', 'text', ...MARKS];

/**
 * Texts in a value, at any depth. In a link without a text, and in an empty text with unknown keys, an editor has
 * no place to type.
 */
export function leavesOf(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Json;
  if (node['type'] === 'text' && typeof node['text'] === 'string')
    return node['text'] === '' && Object.keys(node).some((key) => !NAMED.includes(key)) ? [] : [node];
  const leaves = leavesOf(node['children']);
  return node['type'] === 'link' && leaves.every((leaf) => leaf['text'] === '') ? [] : leaves;
}
