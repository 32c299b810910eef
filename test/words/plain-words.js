/**
 * Rules for English text in this project: openings, words and the length of sentences. The lint rule applies
 * them to comments, and `test/words/words.spec.ts` to messages, OpenAPI texts and pages.
 */

/** Most words of a sentence in a comment, and in texts for users. */
const MAX_WORDS = 25;
const MAX_WORDS_FOR_READERS = 40;

/** First words that announce a clause instead of naming a thing. */
const OPENINGS = /^(?:what|whatever|how|who|whoever|whose|where|wherever|those|that which)\b/i;

/** Words without a subject, and phrases that a plain word replaces. */
const BANNED = [
  /\b(?:nobody|somebody|anybody|everybody|whoever|whomever|someone|anyone|everyone)\b/i,
  /\bno one\b/i,
  /\bby and by\b/i,
  /\b(?:once more|anew|again and again|to be had|meanwhile|goes? along with|goes? alone)\b/i,
  /\bbut for\b/i,
  /\bof one moment\b/i,
  /\b(?:says|say|said) so\b/i,
  /\b(?:is|are|was|were) told\b/i,
  /\btold (?:of|that|how)\b/i,
  // "Is not a".
  /(?<!\bthere\s+)\b(?:is|are|was|were)\s+no (?!longer\b|more\b)\w+/i,
];

/** Words of the code that users do not know; they read "response", "next to", "requested", "is listed in". */
const BANNED_FOR_READERS = [
  /\banswer(?:s|ed|ing)?\b/i,
  /\bbeside\b/i,
  /\b(?:is|are|was|were) asked\b/i,
  /\bstrangers?\b/i,
  /\bstands? (?:in|on)\b/i,
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

/** Problem of the first word, or undefined. "Whether" suits a boolean. */
function openingProblem(text, isBoolean) {
  const [opening] = OPENINGS.exec(text) ?? [];
  if (opening !== undefined) return `begins with "${opening}": name the thing, or begin with a verb`;
  const isWhether = !isBoolean && /^whether\b/i.test(text);
  return isWhether ? 'begins with "Whether", which suits a boolean alone' : undefined;
}

/**
 * Problems of a text, one sentence each. `isBoolean` allows "Whether". With `forReaders`, every sentence except
 * questions is checked for its opening, not only the first. Sentences may then be longer.
 */
export function problemsOf(text, { isBoolean = false, forReaders = false } = {}) {
  const plain = withoutCode(text).trim();
  const sentences = sentencesOf(plain);
  const opened = forReaders ? sentences.filter((one) => !one.endsWith('?')) : [plain];
  const problems = opened.flatMap((one) => openingProblem(one, isBoolean) ?? []);
  for (const banned of forReaders ? [...BANNED, ...BANNED_FOR_READERS] : BANNED) {
    const [found] = banned.exec(plain) ?? [];
    if (found !== undefined) problems.push(`has "${found}": name the subject, or use the plain word`);
  }
  const maxWords = forReaders ? MAX_WORDS_FOR_READERS : MAX_WORDS;
  for (const sentence of sentences) {
    const words = sentence.split(/\s+/).filter((word) => WORD.test(word)).length;
    if (words > maxWords)
      problems.push(`has a sentence of ${words} words, at most ${maxWords}: "${sentence.slice(0, 40)}…"`);
  }
  return problems;
}
