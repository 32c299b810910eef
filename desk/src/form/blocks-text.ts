/** Text of `blocks`, for places that show a value in a few words. */

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && 'type' in value;

const textOf = (node: Readonly<Record<string, unknown>>): string => {
  const { text, children, type } = node;
  if (typeof text === 'string') return text;
  if (!Array.isArray(children)) return `(${String(type)})`;
  const isList = type === 'list';
  return children
    .filter(isNode)
    .map((child) => (isList ? `- ${textOf(child)}` : textOf(child)))
    .join(isList ? '\n' : '');
};

/** Returns the text, a line per block; null for other values. */
export const textOfBlocks = (value: unknown): string | null =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isNode(one) && 'children' in one)
    ? value.map(textOf).join('\n')
    : null;
