/** Blocks of other programs. The API refuses every text with one, so that its changes cannot be saved. */
import { isRecord } from './schema.ts';

const INLINE = ['text', 'link'];
const ROOTS = ['paragraph', 'heading', 'quote', 'code', 'list', 'image'];

/** Kinds of nodes that the format allows in a node, by its kind. */
const INNER: Readonly<Record<string, readonly string[]>> = {
  paragraph: INLINE,
  heading: INLINE,
  quote: INLINE,
  code: INLINE,
  'list-item': INLINE,
  list: ['list-item', 'list'],
  link: ['text'],
  image: ['text'],
};

/** Kinds in a block. Blocks are not changed in place. */
const known = new WeakMap<object, readonly string[]>();

function kindsIn(node: unknown, allowed: readonly string[]): readonly string[] {
  if (!isRecord(node)) return ['?'];
  const { type, children } = node;
  if (typeof type !== 'string' || !allowed.includes(type)) return [typeof type === 'string' ? type : '?'];
  const inner = INNER[type];
  return inner === undefined || !Array.isArray(children)
    ? []
    : children.flatMap((one) => kindsIn(one, inner));
}

/** Returns the kinds of nodes in a value that the format does not have at their place. */
export function foreignKinds(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const all = value.flatMap((block: unknown) => {
    const kinds = (isRecord(block) ? known.get(block) : undefined) ?? kindsIn(block, ROOTS);
    if (isRecord(block)) known.set(block, kinds);
    return kinds;
  });
  return [...new Set(all)];
}
