/** Elements of the page. Texts of the content become text nodes, never markup. */

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null) node.setAttribute(key, value);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** Creates an element: `element('a', { href: '#/' }, 'Home')`. */
export const element = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);

/** Creates an element of an SVG. */
export const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

/** Image of a file, in a format if the file has it. */
export function image(file, format, attributes = {}) {
  if (!file) return null;
  const { url, width, height } = file.formats?.[format] ?? file;
  const alt = file.alternativeText ?? '';
  return element('img', { src: url, width, height, alt, loading: 'lazy', ...attributes });
}

const MARKS = { bold: 'strong', italic: 'em', underline: 'u', strikethrough: 's', code: 'code' };
const BLOCKS = {
  heading: ({ level }) => `h${Math.min(6, level + 1)}`,
  quote: () => 'blockquote',
  code: () => 'pre',
  list: ({ format }) => (format === 'ordered' ? 'ol' : 'ul'),
  'list-item': () => 'li',
};

/** Refuses other addresses in content, such as `javascript:`. */
const isLink = (url) => /^(https?:|mailto:|\/|#)/i.test(url ?? '');

function inline(node) {
  if (node.type === 'link')
    return element(
      isLink(node.url) ? 'a' : 'span',
      isLink(node.url) ? { href: node.url } : {},
      node.children.map(inline),
    );
  return Object.entries(MARKS).reduce(
    (inner, [mark, name]) => (node[mark] ? element(name, {}, inner) : inner),
    document.createTextNode(node.text ?? ''),
  );
}

/** Element of a node of a `blocks` value. */
export function block(node) {
  if (node.type === 'image') return image(node.image, 'large');
  if (node.type === 'text' || node.type === 'link') return inline(node);
  return element(BLOCKS[node.type]?.(node) ?? 'p', {}, node.children.map(block));
}
