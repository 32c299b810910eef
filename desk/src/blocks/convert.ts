/**
 * Conversion between the `blocks` format and documents of the editor. A block that would not come back as it
 * was is kept whole, as a node that is not edited.
 */
import type { Fragment, Mark, Node } from 'prosemirror-model';
import { markName, MARKS, schema } from './schema.ts';

export type Block = { readonly type: string; readonly [key: string]: unknown };

interface Text {
  readonly type: 'text';
  readonly text: string;
  readonly [mark: string]: unknown;
}

interface LinkBlock {
  readonly type: 'link';
  readonly url: string;
  readonly rel?: string;
  readonly target?: string;
  readonly children: readonly Inline[];
}

type Inline = Text | LinkBlock;

const { nodes, marks } = schema;

/** Makes a document of the editor; anything that is no list of blocks is an empty one. */
export function toDocument(value: unknown): Node {
  const blocks = Array.isArray(value) ? (value as readonly Block[]) : [];
  const content = blocks.map(toBlock);
  return nodes.doc.create(null, content.length === 0 ? [nodes.paragraph.create()] : content);
}

/** Returns the blocks of a document; null for a document without content. */
export function fromDocument(document: Node): readonly Block[] | null {
  const blocks = childrenOf(document).map(fromBlock);
  const { firstChild, childCount } = document;
  const isEmpty = childCount === 1 && firstChild?.type === nodes.paragraph && firstChild.content.size === 0;
  return isEmpty ? null : blocks;
}

function toBlock(block: Block): Node {
  const kept = nodes.other.create({ block });
  try {
    const node = toNode(block);
    node.check();
    return canonical(fromBlock(node)) === canonical(block) ? node : kept;
  } catch {
    return kept;
  }
}

function toNode(block: Block): Node {
  const children = (block['children'] ?? []) as readonly (Block & Inline)[];
  switch (block.type) {
    case 'list':
      return nodes.list.create(
        { format: block['format'], indentLevel: block['indentLevel'] ?? null },
        children.map(toNode),
      );
    case 'list-item':
      return nodes.list_item.create(null, toInlines(children));
    case 'image':
      return nodes.image.create({ image: block['image'] });
    case 'heading':
      return nodes.heading.create({ level: block['level'] }, toInlines(children));
    case 'code':
      return nodes.code.create({ language: block['language'] ?? null }, toInlines(children));
    case 'paragraph':
      return nodes.paragraph.create(null, toInlines(children));
    case 'quote':
      return nodes.quote.create(null, toInlines(children));
    default:
      throw new RangeError(`Unknown block ${block.type}`);
  }
}

function toInlines(children: readonly Inline[], link: Mark | null = null): readonly Node[] {
  return children.flatMap((child) => {
    if (child.type === 'link') {
      const { url, rel, target } = child;
      return toInlines(child.children, marks.link.create({ url, rel, target }));
    }
    if (child.text === '') return [];
    const set = MARKS.filter((name) => child[name] === true).map((name) => schema.mark(markName(name)));
    return [schema.text(child.text, link === null ? set : [link, ...set])];
  });
}

function fromBlock(node: Node): Block {
  const { attrs } = node;
  switch (node.type.name) {
    case 'other':
      return attrs['block'] as Block;
    case 'image':
      return { type: 'image', image: attrs['image'] as unknown, children: [{ type: 'text', text: '' }] };
    case 'list': {
      const indent = attrs['indentLevel'] === null ? {} : { indentLevel: attrs['indentLevel'] as unknown };
      const children = childrenOf(node).map(fromBlock);
      return { type: 'list', format: attrs['format'] as unknown, ...indent, children };
    }
    case 'list_item':
      return { type: 'list-item', children: fromInlines(node.content) };
    case 'heading':
      return { type: 'heading', level: attrs['level'] as unknown, children: fromInlines(node.content) };
    case 'code': {
      const language = attrs['language'] === null ? {} : { language: attrs['language'] as unknown };
      return { type: 'code', ...language, children: fromInlines(node.content) };
    }
    default:
      return { type: node.type.name, children: fromInlines(node.content) };
  }
}

const childrenOf = (node: Node): Node[] =>
  Array.from({ length: node.childCount }, (_none, at) => node.child(at));

const textOf = ({ text = '', marks: set }: Node): Text => ({
  type: 'text',
  text,
  ...Object.fromEntries(
    MARKS.filter((name) => set.some(({ type }) => type.name === markName(name))).map((name) => [name, true]),
  ),
});

/** Joins neighbours with one link, and surrounds links by texts, which may be empty, as the format has it. */
function fromInlines(content: Fragment): readonly Inline[] {
  const inlines: (Text | (LinkBlock & { readonly children: Text[] }))[] = [];
  let open: { readonly mark: Mark; readonly children: Text[] } | null = null;
  content.forEach((node) => {
    const mark = node.marks.find(({ type }) => type === marks.link);
    if (mark === undefined) {
      open = null;
      inlines.push(textOf(node));
    } else if (open?.mark.eq(mark) === true) open.children.push(textOf(node));
    else {
      open = { mark, children: [textOf(node)] };
      if (inlines.length === 0 || inlines.at(-1)?.type === 'link') inlines.push({ type: 'text', text: '' });
      inlines.push({ type: 'link', ...linkOf(mark), children: open.children });
    }
  });
  const isOpenEnded = inlines.length === 0 || inlines.at(-1)?.type === 'link';
  return isOpenEnded ? [...inlines, { type: 'text', text: '' }] : inlines;
}

function linkOf({ attrs }: Mark): Omit<LinkBlock, 'type' | 'children'> {
  const { url, rel, target } = attrs as { url: string; rel?: string; target?: string };
  return { url, ...(rel === undefined ? {} : { rel }), ...(target === undefined ? {} : { target }) };
}

/** Text of a block in which the order of keys, and marks that are off, make no difference. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    const entries = Object.entries(inner).filter(
      ([key, member]) => member !== false || !(MARKS as readonly string[]).includes(key),
    );
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  });
