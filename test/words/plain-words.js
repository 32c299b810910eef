/**
 * Rules for English text in this project: openings, words and the length of sentences. The lint rule applies
 * them to comments, and `test/words/words.spec.ts` to messages, OpenAPI texts and pages.
 */

/** Most words of a sentence. */
const MAX_WORDS = 25;

/** First words that announce a clause instead of naming a thing. */
const OPENINGS = /^(?:what|whatever|how|who|whoever|whose|where|wherever|those|that which)\b/i;

/** Words without a subject, and phrases that a plain word replaces. */
const BANNED = [
  /\b(?:nobody|somebody|anybody|everybody|whoever|whomever|someone|anyone|everyone)\b/i,
  /\bno one\b/i,
  /\b(?:once more|anew|again and again|to be had|meanwhile|goes? along with|goes? alone)\b/i,
  /\bbut for\b/i,
  /\bof one moment\b/i,
  /\b(?:says|say|said) so\b/i,
  /\b(?:is|are|was|were) told\b/i,
  /\btold (?:of|that|how)\b/i,
];

const WORD = /[\p{L}\p{N}]/u;

/** Code, links and addresses count as one word and are not searched. */
const withoutCode = (text) =>
  text
    .replaceAll(/```[\s\S]*?```/g, '\n\n')
    .replaceAll(/`[^`\n]*`/g, 'code')
    .replaceAll(/\{@link ([^}]*)\}/g, 'code')
    .replaceAll(/https?:\/\/\S+/g, 'address');

/** Sentences of a text. A blank line, a list item and a tag begin a new one. */
const sentencesOf = (text) =>
  text
    .split(/\n\s*\n|\n\s*(?:[-*|]|\d+\.|@\w+)\s|(?<=[.!?])["')]?\s+(?=code\b|[\p{Lu}"'(`[])/u)
    .map((one) => one.trim())
    .filter((one) => one !== '');

/**
 * Problems of a text, one sentence each. `opensWithClause` allows "Whether", which suits a boolean.
 * @param {string} text
 * @param {{ isBoolean?: boolean }} [about]
 * @returns {string[]}
 */
export function problemsOf(text, { isBoolean = false } = {}) {
  const plain = withoutCode(text).trim();
  const problems = [];
  const [opening] = OPENINGS.exec(plain) ?? [];
  if (opening !== undefined) problems.push(`begins with "${opening}": name the thing, or begin with a verb`);
  if (!isBoolean && /^whether\b/i.test(plain))
    problems.push('begins with "Whether", which suits a boolean alone');
  for (const banned of BANNED) {
    const [found] = banned.exec(plain) ?? [];
    if (found !== undefined) problems.push(`has "${found}": name the subject, or use the plain word`);
  }
  for (const sentence of sentencesOf(plain)) {
    const words = sentence.split(/\s+/).filter((word) => WORD.test(word)).length;
    if (words > MAX_WORDS)
      problems.push(`has a sentence of ${words} words, at most ${MAX_WORDS}: "${sentence.slice(0, 40)}…"`);
  }
  return problems;
}
