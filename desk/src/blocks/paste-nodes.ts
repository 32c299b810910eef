/** Nodes of the editor for what a paste reads. */
import { Mark, type Node } from 'prosemirror-model';
import { type Block, type List, type Run, trimmed } from '../paste/read-html.ts';
import { markName, schema } from './schema.ts';

const { nodes, marks } = schema;

const TYPES = {
  paragraph: nodes.paragraph,
  heading: nodes.heading,
  quote: nodes.quote,
  code: nodes.code,
  item: nodes.list_item,
  // The format has no tables: the cells of a row are texts of a paragraph.
  row: nodes.paragraph,
} as const;

const textOf = ({ text, names, url }: Run): Node =>
  schema.text(
    text,
    Mark.setFrom([
      ...names.map((name) => schema.mark(markName(name))),
      ...(url === null ? [] : [marks.link.create({ url })]),
    ]),
  );

function nodeOf(entry: Block | List, depth: number): readonly Node[] {
  if ('entries' in entry) {
    const entries = entry.entries.flatMap((one) => nodeOf(one, depth + 1));
    const indentLevel = depth === 0 ? null : depth;
    return entries.length === 0 ? [] : [nodes.list.create({ format: entry.format, indentLevel }, entries)];
  }
  const { name, runs, level, language } = entry;
  const texts = trimmed(
    runs.filter(({ picture }) => picture === undefined),
    name === 'code',
  ).map(textOf);
  const attrs = {
    ...(level === undefined ? {} : { level }),
    ...(language === undefined ? {} : { language }),
  };
  return texts.length === 0 ? [] : [TYPES[name].create(attrs, texts)];
}

export const nodesOf = (entries: readonly (Block | List)[]): readonly Node[] =>
  entries.flatMap((entry) => nodeOf(entry, 0));
