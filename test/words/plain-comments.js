/** ESLint rule: comments are plain English, as `plain-words.js` has it. */
import { problemsOf } from './plain-words.js';

const DIRECTIVE = /^\s*(?:eslint|@ts-|prettier|istanbul|c8|#__PURE__|@vite|biome)/;
const BOOLEAN =
  /\bboolean\b|=>\s*!|\b(?:true|false)\b|\b(?:is|are|has|have|can|may|must|needs|should|does|was|knows|allows)[A-Z]\w*/;

/** Text of a comment without its stars. */
const textOf = (value) => value.replaceAll(/^[ \t]*\*[ \t]?/gm, '').trim();

/** Joins line comments that follow one another. */
function groupsOf(comments) {
  const groups = [];
  for (const comment of comments) {
    const last = groups.at(-1);
    const follows =
      last !== undefined &&
      comment.type === 'Line' &&
      last.type === 'Line' &&
      comment.loc.start.line === last.loc.end.line + 1 &&
      comment.loc.start.column === last.loc.start.column;
    if (follows) {
      last.value += `\n${comment.value}`;
      last.loc = { start: last.loc.start, end: comment.loc.end };
    } else groups.push({ type: comment.type, value: comment.value, loc: comment.loc });
  }
  return groups;
}

export const plainComments = {
  meta: { type: 'suggestion', schema: [], docs: { description: 'Require plain English in comments' } },
  create(context) {
    const { sourceCode } = context;
    return {
      Program() {
        for (const { value, loc } of groupsOf(sourceCode.getAllComments())) {
          if (DIRECTIVE.test(value)) continue;
          const next = sourceCode.lines.slice(loc.end.line - 1, loc.end.line + 3).join('\n');
          for (const problem of problemsOf(textOf(value), { isBoolean: BOOLEAN.test(next) }))
            context.report({ loc, message: `This comment ${problem}` });
        }
      },
    };
  },
};
