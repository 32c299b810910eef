/**
 * Schema of the editor for `blocks`: documents that the format cannot express are impossible. Keys and nodes
 * that the format does not name are attributes here, so that they come back as they were.
 */
import {
  type Attrs,
  type DOMOutputSpec,
  type Mark,
  type Node,
  Schema,
  type TagParseRule,
} from 'prosemirror-model';

/** Marks in the order of the format; `code` is the name of a block, too. */
export const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const;
export type MarkName = (typeof MARKS)[number];

export const markName = (name: MarkName): string => (name === 'code' ? 'inline_code' : name);

export const LEVELS = [1, 2, 3, 4, 5, 6] as const;

export type Rest = Readonly<Record<string, unknown>>;

/** Whether an address may be opened. Others, such as `javascript:`, are shown and kept, but are not links. */
export const isSafeUrl = (url: string): boolean =>
  /^(?:https?:|ftp:|mailto:|tel:|[^:/?#]*(?:[/?#]|$))/i.test(url);

export const isRecord = (value: unknown): value is Rest =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The part of the DOM that rules read. */
interface Element {
  getAttribute(name: string): string | null;
}

/** Attribute of elements with what the format does not name, for copies within the editor. */
const KEPT = 'data-desk-kept';

const keptOf = (value: unknown): Attrs => (value === null ? {} : { [KEPT]: JSON.stringify(value) });

function readKept(element: Element): Rest | null {
  try {
    const value: unknown = JSON.parse(element.getAttribute(KEPT) ?? 'null');
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

const kept = ({ attrs }: Node | Mark): Attrs => keptOf(attrs['rest']);

/** Rule for an element with attributes that are the same for all elements of its name. */
const rule = (tag: string, attrs: Attrs = {}): TagParseRule => ({
  tag,
  getAttrs: (element) => ({ ...attrs, rest: readKept(element) }),
});

const listTag = ({ attrs }: Node): string => (attrs['format'] === 'ordered' ? 'ol' : 'ul');

const listRule = (tag: string, format: string): TagParseRule => ({
  tag,
  getAttrs: (element) => {
    const level = Number(element.getAttribute('data-level') ?? Number.NaN);
    return { format, indentLevel: Number.isInteger(level) ? level : null, rest: readKept(element) };
  },
});

const listDom = (node: Node): DOMOutputSpec => {
  const level: unknown = node.attrs['indentLevel'];
  const named = typeof level === 'number' ? { 'data-level': String(level) } : {};
  return [listTag(node), { ...kept(node), ...named }, 0];
};

export const imageOf = (node: Node): Rest => (isRecord(node.attrs['image']) ? node.attrs['image'] : {});

const imageDom = (node: Node): DOMOutputSpec => {
  const { url, alternativeText } = imageOf(node);
  const alt = typeof alternativeText === 'string' ? alternativeText : '';
  const address = typeof url === 'string' && isSafeUrl(url) ? url : '';
  const { image, rest: more } = node.attrs as { image: unknown; rest: Rest | null };
  return ['img', { src: address, alt, ...keptOf({ image, rest: more }) }];
};

const imageAttrs = (element: Element): Attrs | false => {
  const stored = readKept(element);
  if (!isRecord(stored?.['image'])) return false;
  return { image: stored['image'], rest: isRecord(stored['rest']) ? stored['rest'] : null };
};

const linkDom = (mark: Mark): DOMOutputSpec => {
  const url = String(mark.attrs['url']);
  return isSafeUrl(url) ? ['a', { href: url, title: url, ...kept(mark) }, 0] : ['span', { title: url }, 0];
};

const linkAttrs = (element: Element): Attrs | false => {
  const url = element.getAttribute('href') ?? '';
  return url !== '' && isSafeUrl(url) && { url, rest: readKept(element) };
};

const codeDom = (node: Node): DOMOutputSpec => {
  const { language } = node.attrs;
  const named = typeof language === 'string' ? { 'data-language': language } : {};
  return ['pre', { ...named, ...kept(node) }, ['code', { spellcheck: 'false' }, 0]];
};

const rest = { default: null };
const isLevel = (level: unknown): boolean => (LEVELS as readonly unknown[]).includes(level);
const check =
  (isValid: (value: unknown) => boolean) =>
  (value: unknown): void => {
    if (!isValid(value)) throw new RangeError('Unknown value');
  };

// Line breaks are characters of the format, in every kind of text.
export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: {
      content: 'inline*',
      whitespace: 'pre',
      group: 'block',
      attrs: { rest },
      parseDOM: [rule('p')],
      toDOM: (node) => ['p', kept(node), 0],
    },
    heading: {
      content: 'inline*',
      whitespace: 'pre',
      group: 'block',
      defining: true,
      attrs: { level: { default: 1, validate: check(isLevel) }, rest },
      parseDOM: LEVELS.map((level) => rule(`h${level}`, { level })),
      toDOM: (node) => [`h${String(node.attrs['level'])}`, kept(node), 0],
    },
    quote: {
      content: 'inline*',
      whitespace: 'pre',
      group: 'block',
      defining: true,
      attrs: { rest },
      parseDOM: [rule('blockquote')],
      toDOM: (node) => ['blockquote', kept(node), 0],
    },
    code: {
      content: 'inline*',
      group: 'block',
      code: true,
      defining: true,
      attrs: { language: { default: null }, rest },
      parseDOM: [
        {
          tag: 'pre',
          preserveWhitespace: 'full',
          getAttrs: (one) => ({ language: one.getAttribute('data-language'), rest: readKept(one) }),
        },
      ],
      toDOM: codeDom,
    },
    list: {
      content: '(list_item | list | other)+',
      group: 'block',
      attrs: {
        format: { default: 'unordered', validate: check((one) => one === 'ordered' || one === 'unordered') },
        indentLevel: { default: null },
        rest,
      },
      parseDOM: [listRule('ul', 'unordered'), listRule('ol', 'ordered')],
      toDOM: listDom,
    },
    list_item: {
      content: 'inline*',
      whitespace: 'pre',
      defining: true,
      attrs: { rest },
      parseDOM: [rule('li')],
      toDOM: (node) => ['li', kept(node), 0],
    },
    image: {
      group: 'block',
      atom: true,
      draggable: true,
      attrs: { image: {}, rest },
      parseDOM: [{ tag: `img[${KEPT}]`, getAttrs: imageAttrs }],
      toDOM: imageDom,
    },
    /** Block of another version of the format, or of another program: kept as it is. */
    other: {
      group: 'block',
      atom: true,
      attrs: { block: {} },
      parseDOM: [
        { tag: `pre.desk-other-block[${KEPT}]`, priority: 60, getAttrs: (one) => ({ block: readKept(one) }) },
      ],
      toDOM: ({ attrs: { block } }) => [
        'pre',
        { class: 'desk-other-block', contenteditable: 'false', ...keptOf(block) },
        JSON.stringify(block),
      ],
    },
    /** Node among texts that the format does not name. */
    other_inline: {
      group: 'inline',
      inline: true,
      atom: true,
      attrs: { node: {} },
      parseDOM: [
        { tag: `span.desk-other[${KEPT}]`, priority: 60, getAttrs: (one) => ({ node: readKept(one) }) },
      ],
      toDOM: ({ attrs: { node } }) => [
        'span',
        { class: 'desk-other', title: JSON.stringify(node), ...keptOf(node) },
        isRecord(node) && typeof node['type'] === 'string' ? node['type'] : '…',
      ],
    },
    text: { group: 'inline' },
  },
  marks: {
    /** `part` tells links of one block with one address apart. */
    link: {
      attrs: { url: {}, rest, part: { default: 0 } },
      inclusive: false,
      parseDOM: [{ tag: 'a[href]', getAttrs: linkAttrs }],
      toDOM: linkDom,
    },
    bold: { parseDOM: [{ tag: 'strong' }, { tag: 'b' }], toDOM: () => ['strong', 0] },
    italic: { parseDOM: [{ tag: 'em' }, { tag: 'i' }], toDOM: () => ['em', 0] },
    underline: { parseDOM: [{ tag: 'u' }], toDOM: () => ['u', 0] },
    strikethrough: { parseDOM: [{ tag: 's' }, { tag: 'del' }], toDOM: () => ['s', 0] },
    inline_code: { code: true, parseDOM: [{ tag: 'code' }], toDOM: () => ['code', 0] },
    /** Keys of a text that the format does not name. */
    extra: {
      attrs: { rest: {} },
      parseDOM: [{ tag: `span[${KEPT}]`, getAttrs: (one) => ({ rest: readKept(one) }) }],
      toDOM: (mark) => ['span', { class: 'desk-extra', ...kept(mark) }, 0],
    },
  },
});
