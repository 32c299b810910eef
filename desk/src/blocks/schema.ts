/** Schema of the editor for `blocks`: documents that the format cannot express are impossible. */
import { type Attrs, type DOMOutputSpec, type Mark, type Node, Schema } from 'prosemirror-model';

/** Marks in the order of the format; `code` is the name of a block, too. */
export const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const;
export type MarkName = (typeof MARKS)[number];

export const markName = (name: MarkName): string => (name === 'code' ? 'inline_code' : name);

export const LEVELS = [1, 2, 3, 4, 5, 6] as const;

/** Whether an address may be opened. Others, such as `javascript:`, are shown and kept, but are no links. */
export const isSafeUrl = (url: string): boolean => /^(?:https?:|mailto:|tel:|\/|#|\.|[^:]*$)/i.test(url);

const listTag = ({ attrs }: Node): string => (attrs['format'] === 'ordered' ? 'ol' : 'ul');

const imageOf = (node: Node): Readonly<Record<string, unknown>> =>
  (node.attrs['image'] ?? {}) as Readonly<Record<string, unknown>>;

const imageDom = (node: Node): DOMOutputSpec => {
  const { url, alternativeText } = imageOf(node);
  return ['img', { src: String(url), alt: typeof alternativeText === 'string' ? alternativeText : '' }];
};

const linkDom = ({ attrs }: Mark): DOMOutputSpec => {
  const url = String(attrs['url']);
  return isSafeUrl(url) ? ['a', { href: url, title: url }, 0] : ['span', { title: url }, 0];
};

const linkAttrs = (element: { getAttribute(name: string): string | null }): Attrs | false => {
  const url = element.getAttribute('href') ?? '';
  return url !== '' && isSafeUrl(url) && { url };
};

export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: { content: 'inline*', group: 'block', parseDOM: [{ tag: 'p' }], toDOM: () => ['p', 0] },
    heading: {
      content: 'inline*',
      group: 'block',
      defining: true,
      attrs: { level: { default: 1 } },
      parseDOM: LEVELS.map((level) => ({ tag: `h${level}`, attrs: { level } })),
      toDOM: ({ attrs }) => [`h${String(attrs['level'])}`, 0],
    },
    quote: {
      content: 'inline*',
      group: 'block',
      defining: true,
      parseDOM: [{ tag: 'blockquote' }],
      toDOM: () => ['blockquote', 0],
    },
    code: {
      content: 'inline*',
      group: 'block',
      code: true,
      defining: true,
      attrs: { language: { default: null } },
      parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' }],
      toDOM: () => ['pre', ['code', 0]],
    },
    list: {
      content: '(list_item | list)+',
      group: 'block',
      attrs: { format: { default: 'unordered' }, indentLevel: { default: null } },
      parseDOM: [
        { tag: 'ul', attrs: { format: 'unordered' } },
        { tag: 'ol', attrs: { format: 'ordered' } },
      ],
      toDOM: (node) => [listTag(node), 0],
    },
    list_item: { content: 'inline*', defining: true, parseDOM: [{ tag: 'li' }], toDOM: () => ['li', 0] },
    image: { group: 'block', atom: true, attrs: { image: {} }, toDOM: imageDom },
    /** Block of another version of the format, or of another program: kept as it is. */
    other: {
      group: 'block',
      atom: true,
      attrs: { block: {} },
      toDOM: ({ attrs }) => ['pre', { class: 'desk-other-block' }, JSON.stringify(attrs['block'])],
    },
    text: { group: 'inline' },
  },
  marks: {
    link: {
      attrs: { url: {}, rel: { default: undefined }, target: { default: undefined } },
      inclusive: false,
      parseDOM: [{ tag: 'a[href]', getAttrs: linkAttrs }],
      toDOM: linkDom,
    },
    bold: {
      parseDOM: [
        { tag: 'strong' },
        { tag: 'b' },
        { style: 'font-weight=bold' },
        { style: 'font-weight=700' },
      ],
      toDOM: () => ['strong', 0],
    },
    italic: {
      parseDOM: [{ tag: 'em' }, { tag: 'i' }, { style: 'font-style=italic' }],
      toDOM: () => ['em', 0],
    },
    underline: { parseDOM: [{ tag: 'u' }, { style: 'text-decoration=underline' }], toDOM: () => ['u', 0] },
    strikethrough: {
      parseDOM: [{ tag: 's' }, { tag: 'del' }, { style: 'text-decoration=line-through' }],
      toDOM: () => ['s', 0],
    },
    inline_code: { parseDOM: [{ tag: 'code' }], toDOM: () => ['code', 0] },
  },
});
