/** Tools and keys of the editor for Markdown: the text that they make, and where the next key goes. */
import { EditorState, type StateCommand } from '@codemirror/state';
import {
  codeBlock,
  continueItem,
  insertAt,
  link,
  toggleAround,
  toggleLines,
} from '../../../desk/src/markdown/commands.ts';
import { pictureText } from '../../../desk/src/markdown/picture.ts';
import { linkOf } from '../../../desk/src/form/values.ts';
import { MODEL } from './model.ts';

/** Runs a command in a text with `|` at both ends of the selection, or once at the cursor. */
function run(command: StateCommand, marked: string, typed = '|'): string {
  const anchor = marked.indexOf('|');
  const head = Math.max(anchor, marked.lastIndexOf('|') - 1);
  let state = EditorState.create({ doc: marked.replaceAll('|', ''), selection: { anchor, head } });
  command({ state, dispatch: (transaction) => (state = transaction.state) });
  const { from, to } = state.selection.main;
  const [before, inside, after] = [state.sliceDoc(0, from), state.sliceDoc(from, to), state.sliceDoc(to)];
  return typed === '|' && inside !== '' ? `${before}|${inside}|${after}` : `${before}${typed}${after}`;
}

describe('signs around a selection', () => {
  const [bold, italic] = [toggleAround('**'), toggleAround('*')];
  it.each<readonly [string, StateCommand, string, string]>([
    ['adds', bold, 'a |word|', 'a **|word|**'],
    ['adds', italic, 'a |word|', 'a *|word|*'],
    ['removes', bold, '**|word|**', '|word|'],
    ['removes', italic, '*|word|*', '|word|'],
    ['removes selected', bold, '|**word**|', '|word|'],
    ['removes selected', italic, '|*word*|', '|word|'],
    ['adds in bold', italic, '**|word|**', '***|word|***'],
    ['adds around bold', italic, '|**word**|', '*|**word**|*'],
    ['removes in bold', italic, '***|word|***', '**|word|**'],
    ['removes around bold', italic, '*|**word**|*', '|**word**|'],
    ['removes selected with bold', italic, '|***word***|', '|**word**|'],
    ['removes bold of both', bold, '***|word|***', '*|word|*'],
    ['adds bold in italics', bold, '*|word|*', '***|word|***'],
    ['leaves', italic, '*word|*', '*word*|'],
    ['leaves', bold, '**word|**', '**word**|'],
    ['leaves in bold', italic, '**a *word|***', '**a *word*|**'],
    ['begins at the end of bold', italic, '**word |**', '**word *|***'],
    ['begins in empty bold', italic, '**|**', '***|***'],
    ['takes back', italic, '*|*', '|'],
    ['takes back in empty bold', italic, '***|***', '**|**'],
    ['sees only its line', italic, '*\n|word|\n*', '*\n*|word|*\n*'],
  ])('%s', (_case, command, before, after) => {
    expect(run(command, before)).toBe(after);
  });
});

describe('signs of lines', () => {
  const [bullets, heading] = [toggleLines(() => '- '), toggleLines(() => '## ')];
  const numbers = toggleLines((at) => `${at + 1}. `);
  it.each<readonly [string, StateCommand, string, string]>([
    ['an empty line', bullets, 'before\n|\nafter', 'before\n- milk\nafter'],
    ['an empty line', heading, '|', '## milk'],
    ['an empty line', codeBlock, 'before\n|\nafter', 'before\n```\nmilk\n```\nafter'],
    ['the start of a line', bullets, '|bread', '- milkbread'],
    ['the start of a line', codeBlock, '|bread', '```\nmilkbread\n```'],
    ['the end of a line', bullets, 'bread|', '- breadmilk'],
    ['the end of a line', codeBlock, 'bread|', '```\nbreadmilk\n```'],
    ['a line with another sign', numbers, '- |', '1. milk'],
    ['a line with this sign', bullets, '- |', 'milk'],
  ])('leave the cursor for the text: at %s', (_case, command, before, after) => {
    expect(run(command, before, 'milk')).toBe(after);
  });

  it.each<readonly [StateCommand, string, string]>([
    [numbers, '|one\ntwo|', '1. |one\n2. two|'],
    [numbers, 'o|ne\n- tw|o', '1. o|ne\n2. tw|o'],
    [bullets, '- o|ne\n- tw|o', 'o|ne\ntw|o'],
    [codeBlock, '|one\ntwo|', '```\n|one\ntwo|\n```'],
  ])('leave the text selected', (command, before, after) => {
    expect(run(command, before)).toBe(after);
  });

  it('continue a list', () => {
    expect(run(continueItem, '1. bread|', 'milk')).toBe('1. bread\n2. milk');
  });
});

describe('link()', () => {
  it('selects the place of an address', () => {
    expect(run(link(), 'See |here| now')).toBe('See [here](|https://|) now');
  });

  it('goes on behind a link with an address', () => {
    expect(run(link('https://example.org'), 'See |here|', ' and')).toBe(
      'See [here](https://example.org) and',
    );
  });
});

describe('pictureText()', () => {
  it.each([
    ['A harbour', '![A harbour](/uploads/a%20b.png)'],
    ['A harbour\n\nat night\t.', '![A harbour at night .](/uploads/a%20b.png)'],
    ['[A] \\', '![\\[A\\] \\\\](/uploads/a%20b.png)'],
    [null, '![a b.png](/uploads/a%20b.png)'],
  ])('is one line with the alternative text %j', (alternativeText, expected) => {
    const file = { documentId: 'a', name: 'a b.png', url: '/uploads/a b.png', alternativeText };
    expect(pictureText(linkOf(file, 'file', MODEL))).toBe(expected);
  });
});

describe('a picture that is stored after its place was chosen', () => {
  it.each<readonly [string, number, string, string]>([
    ['moves the cursor that is still there', 2, 'a | b', 'a ![]()| b'],
    ['leaves a cursor at another place', 1, 'a bc|', 'a![]() bc|'],
    ['leaves a selected text', 3, 'a |b| c', 'a |b|![]() c'],
  ])('%s', (_, at, before, after) => expect(run(insertAt('![]()', at), before)).toBe(after));
});
