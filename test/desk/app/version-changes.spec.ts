/** Differences of stored versions: values, links, and items of components at every depth. */
import { differencesOf } from '../../../desk/src/form/version-changes.ts';
import type { Json } from '../../../desk/src/form/values.ts';
import { ARTICLE, MODEL } from './model.ts';

const link = (documentId: string): Json => ({ documentId, title: documentId.toUpperCase(), exists: true });
const quote = (text: string): Json => ({ __component: 'part.quote', text, source: null, tags: [] });
const row = (heading: string): Json => ({ heading, colour: 'red' });

const lines = (before: Json, after: Json): string[] =>
  differencesOf(ARTICLE, { before, after }, MODEL).map((one) => {
    const place = one.path.join(' › ');
    if (one.kind === 'value') return `${place}: ${String(one.before)} → ${String(one.after)}`;
    if (one.kind !== 'links') return `${place}: ${one.kind}`;
    const names = (links: typeof one.added): string => links.map(({ title }) => String(title)).join();
    return `${place}: +${names(one.added)} -${names(one.removed)}${one.isMoved ? ' moved' : ''}`;
  });

describe('differencesOf()', () => {
  it.each<[string, Json, Json, readonly string[]]>([
    ['a value', { title: 'a' }, { title: 'b' }, ['title: a → b']],
    ['an empty text and no value', { title: '' }, { title: null }, []],
    ['a missing value', {}, { lead: 'new' }, ['lead: null → new']],
    ['a link', { author: link('a') }, { author: link('b') }, ['author: +B -A']],
    [
      'links that come and go',
      { tags: [link('a'), link('b')] },
      { tags: [link('b'), link('c')] },
      ['tags: +C -A'],
    ],
    [
      'links in another order',
      { tags: [link('a'), link('b')] },
      { tags: [link('b'), link('a')] },
      ['tags: + - moved'],
    ],
    [
      'links of several types',
      { related: [{ __type: 'api::tag.tag', ...link('a') }] },
      { related: [{ __type: 'api::author.author', ...link('a') }] },
      ['related: +A -A'],
    ],
    ['a title that has changed', { tags: [link('a')] }, { tags: [{ ...link('a'), title: 'new' }] }, []],
    [
      'a value in a component',
      { seo: { metaTitle: 'a' } },
      { seo: { metaTitle: 'b' } },
      ['seo › metaTitle: a → b'],
    ],
    ['a new component', { seo: null }, { seo: { metaTitle: 'b' } }, ['seo: added']],
    [
      'a removed item',
      { sections: [quote('a'), quote('b')] },
      { sections: [quote('b')] },
      ['sections › 1 text: removed'],
    ],
    [
      'a new item',
      { sections: [quote('b')] },
      { sections: [quote('a'), quote('b')] },
      ['sections › 1 text: added'],
    ],
    [
      'an item that moved',
      { sections: [quote('a'), quote('b'), quote('c')] },
      { sections: [quote('b'), quote('c'), quote('a')] },
      ['sections › 3 text: moved'],
    ],
    [
      'an item of another component',
      { sections: [quote('a')] },
      { sections: [{ __component: 'part.table', caption: 'a', rows: [] }] },
      ['sections › 1 text: removed', 'sections › 1 caption: added'],
    ],
    [
      'a value inside a list inside an item',
      { sections: [quote('a'), { __component: 'part.table', caption: 'c', rows: [row('x'), row('y')] }] },
      { sections: [{ __component: 'part.table', caption: 'c', rows: [row('x'), row('z')] }] },
      ['sections › 1 text: removed', 'sections › 1 caption › rows › 2 heading › heading: y → z'],
    ],
    ['an item of an unknown component', { sections: [{ __component: 'part.gone' }] }, { sections: [] }, []],
  ])('names %s', (_, before, after, expected) => {
    expect(lines(before, after)).toEqual(expected);
  });
});
