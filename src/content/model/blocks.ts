/** Checks of the nodes of a `blocks` attribute (contract "blocks", protocol 14.15), one per node type. */
import { isURL } from 'class-validator';
import { isObject } from '../../kernel/json.js';
import type { BlockNode } from './definitions.js';

export interface BlockIssue {
  readonly path: readonly string[];
  readonly message: (path: string) => string;
  readonly value?: unknown;
}

type Check = (node: Record<string, unknown>, path: readonly string[]) => BlockIssue[];

const issue = (path: readonly string[], message: BlockIssue['message'], value?: unknown): BlockIssue =>
  value === undefined ? { path, message } : { path, message, value };

const requiredKey = (node: Record<string, unknown>, path: readonly string[], key: string): BlockIssue[] =>
  node[key] === undefined || node[key] === null
    ? [issue([...path, key], (at) => `${at} is a required field`)]
    : [];

const oneOf =
  (key: string, allowed: readonly unknown[]): Check =>
  (node, path) => {
    if (node[key] === undefined || node[key] === null) return requiredKey(node, path, key);
    if (allowed.includes(node[key])) return [];
    const message = (at: string): string =>
      `${at} must be one of the following values: ${allowed.join(', ')}`;
    return [issue([...path, key], message, node[key])];
  };

const checkLevel = oneOf('level', [1, 2, 3, 4, 5, 6]);
const checkFormat = oneOf('format', ['ordered', 'unordered']);

const IMAGE_FIELDS = [
  'name',
  'url',
  'width',
  'height',
  'hash',
  'ext',
  'mime',
  'size',
  'provider',
  'createdAt',
  'updatedAt',
];
const PROTOCOLS = ['http', 'https', 'ftp'];

function validLink(url: unknown): boolean {
  if (typeof url !== 'string') return false;
  if (/^(mailto|tel):\S+$/.test(url) || /^[/#]\S*$/.test(url)) return true;
  return isURL(url, {
    protocols: PROTOCOLS,
    require_protocol: false,
    require_tld: false,
    allow_underscores: true,
  });
}

function children(
  node: Record<string, unknown>,
  path: readonly string[],
  allowed: readonly string[],
): BlockIssue[] {
  const list = node['children'];
  if (list === undefined || list === null) return requiredKey(node, path, 'children');
  if (!Array.isArray(list)) return [issue([...path, 'children'], (at) => `${at} must be an array`, list)];
  return list.flatMap((child: unknown, i) => checkNode(child, [...path, 'children', String(i)], allowed));
}

const INLINE = ['text', 'link'];

const NODES: Readonly<Record<string, Check>> = {
  text: (node, path) => {
    if (node['text'] === undefined || node['text'] === null) return requiredKey(node, path, 'text');
    return ['string', 'number'].includes(typeof node['text'])
      ? []
      : [issue([...path, 'text'], (at) => `${at} must be a string`, node['text'])];
  },
  link: (node, path) => [
    ...(validLink(node['url'])
      ? []
      : [issue([...path, 'url'], () => 'Please specify a valid link.', node['url'])]),
    ...children(node, path, ['text']),
  ],
  paragraph: (node, path) => children(node, path, INLINE),
  quote: (node, path) => children(node, path, INLINE),
  code: (node, path) => children(node, path, INLINE),
  heading: (node, path) => [...checkLevel(node, path), ...children(node, path, INLINE)],
  'list-item': (node, path) => children(node, path, INLINE),
  list: (node, path) => [
    ...checkFormat(node, path),
    ...(Array.isArray(node['children']) && node['children'].length === 0
      ? [
          issue(
            [...path, 'children'],
            () => 'List node children must have at least one ListItem or ListNode',
            [],
          ),
        ]
      : children(node, path, ['list-item', 'list'])),
  ],
  image: (node, path) => {
    const image = node['image'];
    if (typeof image !== 'object' || image === null) return requiredKey(node, path, 'image');
    const fields = IMAGE_FIELDS.flatMap((key) =>
      requiredKey(image as Record<string, unknown>, [...path, 'image'], key),
    );
    return [...fields, ...children(node, path, ['text'])];
  },
};

const ROOTS = ['paragraph', 'heading', 'quote', 'code', 'list', 'image'];

function checkNode(node: unknown, path: readonly string[], allowed: readonly string[]): BlockIssue[] {
  const object: Readonly<Record<string, unknown>> = isObject(node) ? node : {};
  const type = object['type'];
  const check =
    typeof type === 'string' && allowed.includes(type) && Object.hasOwn(NODES, type)
      ? NODES[type]
      : undefined;
  return check === undefined
    ? [issue(path, () => 'Block node is of invalid type', node)]
    : check(object, path);
}

export const checkBlocks = (value: readonly unknown[]): BlockIssue[] =>
  value.flatMap((node, i) => checkNode(node, [String(i)], ROOTS));

/** Returns the nodes in stored form: the text of a text node is always a string. */
export function normaliseBlocks(nodes: readonly BlockNode[]): BlockNode[] {
  return nodes.map((node) => {
    const text = node['text'];
    const nested = node.children === undefined ? {} : { children: normaliseBlocks(node.children) };
    return { ...node, ...nested, ...(typeof text === 'number' ? { text: String(text) } : {}) };
  });
}
