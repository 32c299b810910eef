/**
 * Conversion between the `blocks` format and documents of the editor. Blocks that the editor has not changed
 * come back as the objects that they were. So a key converts one block, whatever the length of the document.
 */
import type { Node } from 'prosemirror-model';
import { canonical, fromInlines, restOf, toInlines } from './inlines.ts';
import { isRecord, type Rest, schema } from './schema.ts';

export type Block = Rest;

const { nodes } = schema;

/** Blocks of nodes. Nodes are immutable, so that an entry is valid as long as its node exists. */
const known = new WeakMap<Node, Block>();

/** Makes a document of the editor; anything that is not a list of blocks is an empty one. */
export function toDocument(value: unknown): Node {
  const content = Array.isArray(value) ? value.map(toBlock) : [];
  return nodes.doc.create(null, content.length === 0 ? [nodes.paragraph.create()] : content);
}

/** Returns the blocks of a document; null for a document without content. */
export function fromDocument(document: Node): readonly Block[] | null {
  const { firstChild, childCount } = document;
  const isEmpty = childCount === 1 && firstChild?.type === nodes.paragraph && firstChild.content.size === 0;
  return isEmpty && firstChild.attrs['rest'] === null ? null : childrenOf(document).map(fromBlock);
}

/** Makes a node. What would not come back as it was is kept whole, as a node that is not edited. */
function toBlock(block: unknown): Node {
  try {
    const node = toNode(block);
    node.check();
    if (canonical(convert(node)) === canonical(block)) return node;
  } catch {
    // Kept below.
  }
  const node = nodes.other.create({ block });
  known.set(node, block as Block);
  return node;
}

const NAMES: Readonly<Record<string, string>> = { 'list-item': 'list_item' };
const PADDING = canonical([{ type: 'text', text: '' }]);

function toNode(block: unknown): Node {
  if (!isRecord(block) || typeof block['type'] !== 'string') throw new RangeError('No block');
  const name = NAMES[block['type']] ?? block['type'];
  const type = Object.hasOwn(READ, name) ? schema.nodes[name] : undefined;
  const read = READ[name];
  if (type === undefined || read === undefined) throw new RangeError(`Unknown block ${name}`);
  const { named = [], content = [] } = read(block);
  const names = named.filter((key) => block[key] !== undefined && block[key] !== null);
  const attrs = Object.fromEntries(names.map((key) => [key, block[key]]));
  const rest = restOf(block, ['type', ...names, ...(name === 'image' ? [] : ['children'])]);
  const node = type.create({ ...attrs, rest: name === 'image' ? imageRest(rest) : rest }, content);
  known.set(node, block);
  return node;
}

/** Members of an image without the empty text that the format puts into it. */
const imageRest = (rest: Rest | null): Rest | null =>
  canonical(rest?.['children']) === PADDING ? restOf(rest ?? {}, ['children']) : rest;

interface Reading {
  /** Keys of the block that are attributes of the node, with the same name. */
  readonly named?: readonly string[];
  readonly content?: readonly Node[];
}

const texts = (block: Block): Reading => ({ content: toInlines(block['children']) });

/** Readings by the name of the node. */
const READ: Readonly<Record<string, (block: Block) => Reading>> = {
  paragraph: texts,
  quote: texts,
  list_item: texts,
  heading: (block) => ({ named: ['level'], ...texts(block) }),
  code: (block) => ({ named: ['language'], ...texts(block) }),
  image: () => ({ named: ['image'] }),
  list: ({ children }) => ({
    named: ['format', 'indentLevel'],
    content: Array.isArray(children) ? children.map(toEntry) : [],
  }),
};

/** Entry of a list. A paragraph would be a block there, but not an entry. */
function toEntry(entry: unknown): Node {
  const isEntry = isRecord(entry) && (entry['type'] === 'list-item' || entry['type'] === 'list');
  return isEntry ? toBlock(entry) : nodes.other.create({ block: entry });
}

function fromBlock(node: Node): Block {
  const before = known.get(node);
  if (before !== undefined) return before;
  const block = convert(node, fromBlock);
  known.set(node, block);
  return block;
}

/** Members of the format by the name of the node. */
const WRITE: Readonly<Record<string, readonly string[]>> = {
  heading: ['level'],
  code: ['language'],
  list: ['format', 'indentLevel'],
  image: ['image'],
};

function convert(node: Node, inner: (node: Node) => Block = (one) => convert(one)): Block {
  const { attrs, type } = node;
  if (type === nodes.other) return attrs['block'] as Block;
  const named = (WRITE[type.name] ?? []).filter((name) => attrs[name] !== null && attrs[name] !== undefined);
  const children = type === nodes.list ? childrenOf(node).map(inner) : fromInlines(node.content);
  const rest = attrs['rest'] as Rest | null;
  return {
    type: type === nodes.list_item ? 'list-item' : type.name,
    children,
    ...rest,
    ...Object.fromEntries(named.map((name) => [name, attrs[name] as unknown])),
  };
}

const childrenOf = (node: Node): Node[] =>
  Array.from({ length: node.childCount }, (_none, at) => node.child(at));

/** Notes the equal blocks of another response, so that later comparisons find the same objects. */
export function adopt(document: Node, value: unknown): void {
  if (!Array.isArray(value) || value.length !== document.childCount) return;
  value.forEach((block: unknown, at) => {
    if (isRecord(block)) known.set(document.child(at), block);
  });
}
