/** Number of words in a document. Blocks are counted once, as long as they do not change. */
import type { Node } from 'prosemirror-model';

const counts = new WeakMap<Node, number>();
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

function countOf(block: Node): number {
  const known = counts.get(block);
  if (known !== undefined) return known;
  const text = block.textBetween(0, block.content.size, '\n', ' ');
  const count = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length;
  counts.set(block, count);
  return count;
}

export function wordsOf(document: Node): number {
  let words = 0;
  document.forEach((block) => {
    words += countOf(block);
  });
  return words;
}
