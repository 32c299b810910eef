/** Conversion of the texts and links in a block. */
import type { Fragment, Mark, Node } from 'prosemirror-model';
import { isRecord, markName, MARKS, type Rest, schema } from './schema.ts';

const { nodes, marks } = schema;

/** Returns the members of an object except the named ones; null for none. */
export function restOf(value: Rest, named: readonly string[]): Rest | null {
  const entries = Object.entries(value).filter(([key]) => !named.includes(key));
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

const isMark = (name: string): boolean => MARKS.some((one) => one === name);

/** Marks of a text. What is neither text nor a mark that is on is kept by a mark of its own. */
function marksOf(text: Rest): readonly Mark[] {
  const set = MARKS.filter((name) => text[name] === true);
  const rest = restOf(text, ['type', 'text', ...set]);
  return [
    ...set.map((name) => schema.mark(markName(name))),
    ...(rest === null ? [] : [marks.extra.create({ rest })]),
  ];
}

/** Whether a text is only a place between links, as editors of the format insert it. */
const isPadding = (child: Rest): boolean =>
  child['type'] === 'text' &&
  child['text'] === '' &&
  Object.keys(child).every((key) => key === 'type' || key === 'text' || isMark(key));

function toInline(child: unknown, link: Mark | null): readonly Node[] {
  const around = link === null ? [] : [link];
  if (!isRecord(child)) throw new RangeError('A node is not an object');
  if (isPadding(child)) return [];
  const { type, text } = child;
  if (type === 'text' && typeof text === 'string' && text !== '')
    return [schema.text(text, [...around, ...marksOf(child)])];
  return [nodes.other_inline.create({ node: child }, null, around)];
}

function toLink(child: Rest, part: number): readonly Node[] {
  const rest = restOf(child, ['type', 'url', 'children']);
  const mark = marks.link.create({ url: child['url'], rest, part });
  const children: unknown = child['children'];
  const made = Array.isArray(children) ? children.flatMap((one: unknown) => toInline(one, mark)) : [];
  // A link without a text has no place in a document.
  return made.length > 0 ? made : [nodes.other_inline.create({ node: child })];
}

/** Makes the content of a block. Throws a RangeError for values that are not nodes. */
export function toInlines(children: unknown): readonly Node[] {
  if (!Array.isArray(children)) throw new RangeError('A block without children');
  return children.flatMap((child: unknown, at) => {
    const isLink = isRecord(child) && child['type'] === 'link' && typeof child['url'] === 'string';
    return isLink ? toLink(child, at) : toInline(child, null);
  });
}

const linkMark = (node: Node | undefined): Mark | undefined =>
  node?.marks.find(({ type }) => type === marks.link);

function fromInline(node: Node): Rest {
  if (node.type === nodes.other_inline) return node.attrs['node'] as Rest;
  const has = (name: string): boolean => node.marks.some(({ type }) => type.name === name);
  const rest = node.marks.find(({ type }) => type === marks.extra)?.attrs['rest'] as Rest | undefined;
  const on = MARKS.filter((name) => has(markName(name))).map((name) => [name, true] as const);
  return { type: 'text', text: node.text ?? '', ...rest, ...Object.fromEntries(on) };
}

interface Open {
  readonly mark: Mark;
  readonly children: Rest[];
}

/** Joins neighbours with one link, and surrounds links by texts, which may be empty, as the format has it. */
export function fromInlines(content: Fragment): readonly Rest[] {
  const inlines: Rest[] = [];
  const isLast = (type: string): boolean => inlines.at(-1)?.['type'] === type;
  let open: Open | null = null;
  content.forEach((node) => {
    const mark = linkMark(node);
    if (mark === undefined) {
      open = null;
      inlines.push(fromInline(node));
    } else if (open?.mark.eq(mark) === true) open.children.push(fromInline(node));
    else {
      open = { mark, children: [fromInline(node)] };
      if (inlines.length === 0 || isLast('link')) inlines.push({ type: 'text', text: '' });
      inlines.push({
        type: 'link',
        url: mark.attrs['url'] as unknown,
        ...(mark.attrs['rest'] as Rest | null),
        children: open.children,
      });
    }
  });
  const isOpenEnded = inlines.length === 0 || isLast('link');
  return isOpenEnded ? [...inlines, { type: 'text', text: '' }] : inlines;
}

const keyOf = (node: Rest): string => JSON.stringify(sorted(restOf(node, ['text']) ?? {}));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

const isText = (node: unknown): node is Rest =>
  isRecord(node) && node['type'] === 'text' && typeof node['text'] === 'string';

function normalChildren(children: readonly unknown[]): readonly unknown[] {
  const joined: unknown[] = [];
  for (const child of children) {
    if (isRecord(child) && isPadding(child)) continue;
    const last = joined.at(-1);
    if (
      isText(child) &&
      isText(last) &&
      child['text'] !== '' &&
      last['text'] !== '' &&
      keyOf(child) === keyOf(last)
    )
      joined[joined.length - 1] = { ...last, text: String(last['text']) + String(child['text']) };
    else joined.push(child);
  }
  return joined.map(normal);
}

/** Value in which the division of texts makes no difference, nor empty ones, nor the order of keys. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (!isRecord(value)) return value;
  const { children } = value;
  const inner = Array.isArray(children) ? { children: normalChildren(children) } : {};
  return sorted({ ...value, ...inner });
}

/** Text of a normal value, to compare it. */
export const canonical = (value: unknown): string => JSON.stringify(normal(value));
