/** Query strings as trees of keys, and the many ways to spell one as text. */

export interface Entries {
  readonly entries: readonly (readonly [string, Tree])[];
}

/**
 * A value, null for a name without `=`, a list (undefined leaves a hole), or named values, names not
 * distinct.
 */
export type Tree = string | null | readonly (Tree | undefined)[] | Entries;

export const object = (entries: readonly (readonly [string, Tree])[]): Entries => ({ entries });

/** A spelling of the same tree. */
export interface Spelling {
  /** `[` and `]` as they are, or percent-encoded. */
  readonly raw: boolean;
  /** Lists as `a[]=x&a[]=y` instead of `a[0]=x&a[1]=y`. Only lists of values can be told apart this way. */
  readonly indexes: boolean;
  /** Every byte of a value percent-encoded. */
  readonly verbose: boolean;
}

const PLAIN: Spelling = { raw: true, indexes: true, verbose: false };

const verbose = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/**
 * Lone surrogates, which `encodeURIComponent` refuses, become the bytes that a careless client sends for
 * them.
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

/** Every name and value of a tree, as `name=value` parts. */
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

/** Nested plain values as a tree: the short way to write one by hand. */
export function tree(value: unknown): Tree {
  if (value === null || typeof value === 'string') return value;
  if (Array.isArray(value))
    return value.map((item: unknown) => (item === undefined ? undefined : tree(item)));
  if (typeof value === 'object')
    return object(Object.entries(value).map(([key, nested]) => [key, tree(nested)]));
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`a ${typeof value} cannot stand in a query string`);
}

/** A query string from nested plain values. */
export const queryOf = (value: object, spelling?: Spelling): string =>
  spell(tree(value) as Entries, spelling);
