/** Random values of scalar attributes, in the forms in which Strapi reads them from PostgreSQL. */
import type { Dice } from '../../evolution/pairs/dice.ts';
import { randomTime, type SourceAttribute } from './source.ts';

const TEXTS = [
  '',
  'plain',
  'ä "quoted" \\ back',
  'two\nlines\ttab',
  '日本語',
  '👩‍👩‍👧 family',
  'a\u2028b',
  '<b>&amp;</b>',
  ' ',
];

/** Length of a long text, in characters. */
const LONG = 100_000;

/** bcrypt hash of `Secret-anna`, as Strapi stores it. */
export const PASSWORD = 'Secret-anna';
export const HASH = '$2a$10$sEYTmhxIxSigId3SOaZPoO7Z8aVMqAVIA5m5eK.vDe6e5R7F0495O';

const two = (value: number): string => String(value).padStart(2, '0');

function text(dice: Dice): string {
  if (dice.chance(1)) return 'long ä '.repeat(LONG / 7);
  return dice.chance(50) ? dice.pick(TEXTS) : `text ${dice.below(1_000_000)}`;
}

/** PostgreSQL omits zeros at the end of a fraction. */
function time(dice: Dice): string {
  const clock = [dice.below(24), dice.below(60), dice.below(60)].map(two).join(':');
  return clock + dice.pick(['', '.3', '.25', '.123']);
}

const blocks = (dice: Dice): unknown => [
  { type: 'heading', level: 1 + dice.below(6), children: [{ type: 'text', text: text(dice).slice(0, 100) }] },
  {
    type: 'paragraph',
    children: [
      { text: 'bold', type: 'text', bold: true },
      { type: 'link', url: 'https://example.com', children: [{ type: 'text', text: 'a link' }] },
    ],
  },
  {
    type: 'list',
    format: 'unordered',
    children: [{ type: 'list-item', children: [{ type: 'text', text: 'item' }] }],
  },
];

const JSONS: readonly unknown[] = [
  { a: [1, { x: null }], 'b c': '\u2028' },
  ['x', null, 1.5],
  'text',
  0,
  false,
  '',
  {},
  [],
];

const MAKERS: Readonly<Record<string, (dice: Dice) => unknown>> = {
  string: (dice) => text(dice).slice(0, 100),
  text,
  richtext: text,
  // Values from before a rule was there: an address that is none, an unknown choice.
  email: (dice) => (dice.chance(5) ? 'no address' : `u${dice.below(1_000_000)}@example.com`),
  uid: (dice) => `slug-${dice.below(1_000_000_000)}`,
  enumeration: (dice) => (dice.chance(5) ? 'former' : dice.pick(['one', 'two-b', 'Three'])),
  integer: (dice) => dice.pick([0, -1, 2_000_000_000, dice.below(1000)]),
  biginteger: (dice) =>
    dice.pick(['9007199254740993', '0', '-9223372036854775808', String(dice.below(1000))]),
  float: (dice) => dice.pick([0.1, 1e21, -2.5e-7, dice.below(1000) + 0.5]),
  decimal: (dice) => dice.pick([0, 12.5, -0.01, 12_345_678.25, dice.below(10_000) / 100]),
  boolean: (dice) => dice.chance(50),
  date: (dice) => `${1900 + dice.below(200)}-${two(1 + dice.below(12))}-${two(1 + dice.below(28))}`,
  time,
  datetime: (dice) => randomTime(dice, dice.pick([Date.UTC(1931, 0), Date.UTC(2020, 0), Date.UTC(2350, 0)])),
  timestamp: (dice) => String(dice.below(2_000_000_000_000)),
  json: (dice) => dice.pick(JSONS),
  blocks,
  password: () => HASH,
};

/** A random value, or null. */
export function scalarValue(dice: Dice, { type }: SourceAttribute): unknown {
  const make = MAKERS[type];
  if (make === undefined) throw new Error(`${type} is not a scalar type`);
  return dice.chance(20) ? null : make(dice);
}

/** The value as this library returns it. */
export function shownValue({ type }: SourceAttribute, value: unknown): unknown {
  if (type !== 'time' || typeof value !== 'string') return value ?? null;
  const [clock = '', part] = value.split('.');
  return part === undefined ? clock : `${clock}.${part.padEnd(3, '0')}`;
}
