/** Query strings as trees of keys, and their spellings as text. */

export interface Entries {
  readonly entries: readonly (readonly [string, Tree])[];
}

/**
 * A value, null for a name without `=`, a list with holes for undefined, or named values with possible
 * duplicates.
 */
export type Tree = string | null | readonly (Tree | undefined)[] | Entries;

export const object = (entries: readonly (readonly [string, Tree])[]): Entries => ({ entries });

/** Options for the spelling of a tree. */
export interface Spelling {
  /** Whether `[` and `]` are unescaped instead of percent-encoded. */
  readonly raw: boolean;
  /**
   * Whether lists are spelled `a[0]=x&a[1]=y` instead of `a[]=x&a[]=y`, which only works for lists of
   * values.
   */
  readonly indexes: boolean;
  /** Whether every byte of a value is percent-encoded. */
  readonly verbose: boolean;
}

const PLAIN: Spelling = { raw: true, indexes: true, verbose: false };

const verbose = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/**
 * Encodes text. Lone surrogates, which `encodeURIComponent` refuses, become the bytes that a faulty client
 * sends for them.
 */
export function encode(text: string): string {
  if (text.isWellFormed()) return encodeURIComponent(text);
  return [...text]
    .map((character) => {
      if (character.isWellFormed()) return encodeURIComponent(character);
      const unit = character.charCodeAt(0);
      return [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 63), 0x80 | (unit & 63)]
        .map((byte) => `%${byte.toString(16)}`)
        .join('');
    })
    .join('');
}

const isList = (tree: Tree): tree is readonly (Tree | undefined)[] => Array.isArray(tree);

/** Lists every name and value of a tree as `name=value`. */
function parts(prefix: string, tree: Tree, spelling: Spelling): string[] {
  if (tree === null) return [prefix];
  if (typeof tree === 'string') return [`${prefix}=${spelling.verbose ? verbose(tree) : encode(tree)}`];
  const [open, close] = spelling.raw ? ['[', ']'] : ['%5B', '%5D'];
  const below = (key: string, value: Tree): string[] =>
    parts(prefix === '' ? key : `${prefix}${open}${key}${close}`, value, spelling);
  if (!isList(tree))
    return tree.entries.flatMap(([key, value]) =>
      below(encode(key).replaceAll('%24', '$').replaceAll('%2C', ','), value),
    );
  return tree.flatMap((value, i) => {
    if (value === undefined) return [];
    const flat = !spelling.indexes && (typeof value === 'string' || value === null);
    return below(flat ? '' : String(i), value);
  });
}

export const spell = (tree: Entries, spelling: Spelling = PLAIN): string =>
  parts('', tree, spelling).join('&');

/** Converts nested plain values to a tree. */
export function tree(value: unknown): Tree {
  if (value === null || typeof value === 'string') return value;
  if (Array.isArray(value))
    return value.map((item: unknown) => (item === undefined ? undefined : tree(item)));
  if (typeof value === 'object')
    return object(Object.entries(value).map(([key, nested]) => [key, tree(nested)]));
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`a query string cannot contain a ${typeof value}`);
}

/** Converts nested plain values to a query string. */
export const queryOf = (value: object, spelling?: Spelling): string =>
  spell(tree(value) as Entries, spelling);
