/** Values of `blocks` come back from the editor as they were, whatever is in them. */
import fc from 'fast-check';
import { EditorState, TextSelection } from 'prosemirror-state';
import type { Node } from 'prosemirror-model';
import {
  indent,
  insertImage,
  leaveEmptyItem,
  outdent,
  outdentInner,
  plainAtStart,
  setKind,
  toggleList,
} from '../../../desk/src/blocks/commands.ts';
import { fromDocument, toDocument } from '../../../desk/src/blocks/convert.ts';
import { foreignKinds } from '../../../desk/src/blocks/foreign.ts';
import { canonical } from '../../../desk/src/blocks/inlines.ts';
import { isSafeUrl, schema } from '../../../desk/src/blocks/schema.ts';
import { checkBlocks } from '../../../src/content/model/blocks.ts';
import { dose } from '../../support/dose.ts';
import { blockValues, type Json, leavesOf } from './blocks-samples.ts';

/** The same nodes as new objects, so that the conversion does not find what they were made of. */
const copy = (node: Node): Node => schema.nodeFromJSON(JSON.parse(JSON.stringify(node.toJSON())));

const EMPTY = [{ type: 'paragraph', children: [{ type: 'text', text: '' }] }];

/** Random documents per rule. `BLOCKS=10000 npm run proofs -- desk/app/blocks` is the long run. */
const RUNS = Number(process.env['BLOCKS'] ?? dose(250, 2000));

const TOKEN = '§token§';

/** Place of the token in a document, and its node; null if it is in a block that is not edited. */
function findToken(document: Node): { readonly at: number; readonly node: Node } | null {
  let found: { readonly at: number; readonly node: Node } | null = null;
  document.descendants((node, pos) => {
    const index = node.text?.indexOf(TOKEN) ?? -1;
    if (index >= 0) found = { at: pos + index, node: schema.text(TOKEN, node.marks) };
  });
  return found;
}

describe('the editor of blocks', () => {
  it('returns every value as it was, also what it does not know', () => {
    fc.assert(
      fc.property(blockValues, (value) => {
        const document = toDocument(value);
        const back = fromDocument(document);
        if (back !== null) back.forEach((block, at) => expect(block).toBe(value[at]));
        expect(canonical(fromDocument(copy(document)) ?? EMPTY)).toBe(
          canonical(back === null ? EMPTY : value),
        );
      }),
      { numRuns: RUNS },
    );
  }, 600_000);

  it('names the kinds of blocks for which the server refuses a text', () => {
    const table = { type: 'table', rows: [] };
    const text = { type: 'text', text: 'a' };
    const of = (...children: object[]): object => ({ type: 'paragraph', children });
    expect(foreignKinds([of(text), table, table, of(text, { type: 'mention', id: 1 })])).toEqual([
      'table',
      'mention',
    ]);
    const list = {
      type: 'list',
      format: 'ordered',
      children: [{ type: 'list-item', children: [text] }, table],
    };
    expect(foreignKinds([list, { type: 'text', text: 'a' }, 7])).toEqual(['table', 'text', '?']);
    for (const none of [null, 'text', [], [of(text)]]) expect(foreignKinds(none)).toEqual([]);
    fc.assert(
      fc.property(blockValues, (value) => {
        const issues = checkBlocks(value).map(({ message }) => message(''));
        const isForeign = foreignKinds(value).length > 0;
        if (issues.some((one) => one.startsWith('Block node is of invalid type')))
          expect(isForeign).toBe(true);
        else if (isForeign) expect(issues).not.toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('changes nothing but what was edited', () => {
    let edited = 0;
    fc.assert(
      fc.property(blockValues, fc.nat(), fc.nat(), (before, which, where) => {
        const value = structuredClone(before);
        const leaves = leavesOf(value);
        const leaf = leaves[which % Math.max(1, leaves.length)];
        if (leaf === undefined) return;
        const text = String(leaf['text']);
        const place = where % (text.length + 1);
        leaf['text'] = text.slice(0, place) + TOKEN + text.slice(place);
        const token = findToken(toDocument(value));
        if (token === null) return;
        edited += 1;
        const typed = EditorState.create({ doc: toDocument(before) });
        const inserted = fromDocument(typed.apply(typed.tr.insert(token.at, token.node)).doc);
        expect(canonical(inserted)).toBe(canonical(value));
        const open = EditorState.create({ doc: toDocument(value) });
        const removed = fromDocument(open.apply(open.tr.delete(token.at, token.at + TOKEN.length)).doc);
        expect(canonical(removed ?? EMPTY)).toBe(canonical(removed === null ? EMPTY : before));
        expect(inserted?.filter((block, at) => block !== before[at])).toHaveLength(1);
        expect(removed?.filter((block, at) => block !== value[at]).length ?? 1).toBe(1);
      }),
      { numRuns: RUNS },
    );
    expect(edited).toBeGreaterThan(RUNS / 3);
  }, 600_000);

  it('loses no text by commands for lists and kinds, and makes documents of the format only', () => {
    const commands = [
      ...[indent, outdent, outdentInner, plainAtStart, leaveEmptyItem],
      ...[toggleList('ordered'), toggleList('unordered')],
      ...['paragraph', 'quote', 'code', 'heading'].map((name) => setKind(schema.nodes[name]!, {})),
    ];
    const step = fc.record({ which: fc.nat(), anchor: fc.nat(), head: fc.nat() });
    const textOf = (doc: Node): string => doc.textBetween(0, doc.content.size, '', () => '¤');
    let changed = 0;
    fc.assert(
      fc.property(blockValues, fc.array(step, { maxLength: 8 }), (value, steps) => {
        let state = EditorState.create({ doc: toDocument(value) });
        const before = textOf(state.doc);
        for (const { which, anchor, head } of steps) {
          const [from, to] = [anchor, head].map((at) => state.doc.resolve(at % (state.doc.content.size + 1)));
          state = state.apply(state.tr.setSelection(TextSelection.between(from!, to!)));
          const command = commands[which % commands.length]!;
          command(state, (transaction) => {
            changed += transaction.docChanged ? 1 : 0;
            state = state.apply(transaction);
          });
          state.doc.check();
          expect(textOf(state.doc)).toBe(before);
        }
        expect(canonical(fromDocument(state.doc) ?? EMPTY)).toBe(
          canonical(fromDocument(copy(state.doc)) ?? EMPTY),
        );
      }),
      { numRuns: RUNS },
    );
    expect(changed).toBeGreaterThan(100);
  }, 600_000);

  const text = (content: string, more: object = {}): object => ({ type: 'text', text: content, ...more });
  it.each<readonly [string, Json]>([
    ['a picture', { type: 'image', image: { url: '/uploads/a.png', width: 10 }, children: [text('')] }],
    ['a picture with more', { type: 'image', image: { url: '/a' }, caption: 'x', children: [] }],
    ['marks that are off', { type: 'paragraph', children: [text('a', { bold: false })] }],
    ['unknown marks', { type: 'paragraph', children: [text('a', { colour: 'red' })] }],
    ['unknown keys of a block', { type: 'heading', level: 2, anchor: 'top', children: [text('a')] }],
    ['an unknown node in a text', { type: 'quote', children: [text('a'), { type: 'mention', user: 3 }] }],
    [
      'neighbours with one address',
      {
        type: 'paragraph',
        children: [
          text(''),
          { type: 'link', url: '/a', children: [text('a')] },
          text(''),
          { type: 'link', url: '/a', children: [text('b')] },
          text(''),
        ],
      },
    ],
    [
      'nested lists',
      {
        type: 'list',
        format: 'ordered',
        children: [
          { type: 'list-item', children: [text('a')] },
          {
            type: 'list',
            format: 'unordered',
            indentLevel: 1,
            children: [{ type: 'list-item', children: [text('b')] }],
          },
        ],
      },
    ],
    [
      'a link between texts',
      {
        type: 'paragraph',
        children: [
          text('a'),
          {
            type: 'link',
            url: 'https://example.org',
            rel: 'nofollow',
            children: [text('b', { bold: true })],
          },
          text(''),
        ],
      },
    ],
    ['code with a language', { type: 'code', language: 'ts', children: [text('a\nb')] }],
    [
      'an address that is not a link',
      {
        type: 'paragraph',
        children: [text(''), { type: 'link', url: 'javascript:alert(1)', children: [text('x')] }, text('')],
      },
    ],
  ])('edits and keeps %s', (_name, block) => {
    const node = toDocument([block]).child(0);
    expect(node.type).not.toBe(schema.nodes.other);
    expect(canonical(fromDocument(copy(toDocument([block]))))).toBe(canonical([block]));
  });

  describe('a picture', () => {
    const image = { url: '/uploads/a.png' };
    const insert = (from: number, to: number, at?: number): readonly [string[], number] => {
      const doc = toDocument([{ type: 'paragraph', children: [text('one two')] }]);
      const state = EditorState.create({ doc, selection: TextSelection.create(doc, from, to) });
      const after = state.apply(insertImage(state.tr, image, at));
      const blocks = after.doc.children.map((node) => node.textContent || node.type.name);
      return [blocks, after.selection.$from.index(0)];
    };

    it.each<readonly [string, Parameters<typeof insert>, ReturnType<typeof insert>]>([
      ['takes the place of the selection', [5, 8], [['one ', 'image', 'paragraph'], 2]],
      ['leaves a selection that begins at its place', [5, 8, 5], [['one ', 'image', 'two'], 2]],
      ['leaves a selection that ends at its place', [1, 4, 4], [['one', 'image', ' two'], 0]],
      ['has the cursor of its place below it', [5, 5, 5], [['one ', 'image', 'two'], 2]],
      ['leaves the cursor of another place', [1, 1, 8], [['one two', 'image', 'paragraph'], 0]],
    ])('%s', (_case, given, wanted) => {
      expect(insert(...given)).toEqual(wanted);
    });
  });

  it('is empty for no value, and has no value when it is empty', () => {
    expect([null, undefined, [], 'text'].map((value) => fromDocument(toDocument(value)))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it.each([
    ['https://example.org', true],
    ['mailto:a@example.org', true],
    ['/path', true],
    ['page#part', true],
    ['./page', true],
    ['ftp://example.org/a', true],
    ['www.example.org/a?b=c:d', true],
    ['javascript:alert(1)', false],
    ['JAVASCRIPT:alert(1)', false],
    ['data:text/html,x', false],
    ['java\nscript:alert(1)', false],
  ])('opens %j: %s', (url, expected) => {
    expect(isSafeUrl(url)).toBe(expected);
  });
});
