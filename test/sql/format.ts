const CLAUSES = /^(from|where|order|limit|offset|join|cross|left|and)$/;

/** Prints one line per clause and indents sub-queries, for readability only. */
export function format(text: string): string {
  const tokens =
    text
      .replace(/\s+/g, ' ')
      .trim()
      .match(/'[^']*'|"[^"]*"|[()]|[^\s()'"]+|\s/g) ?? [];
  const brackets: boolean[] = [];
  let out = '';
  const line = (): void => void (out += `\n${'  '.repeat(brackets.filter(Boolean).length)}`);
  for (const [i, token] of tokens.entries()) {
    const next = tokens[i + 1] ?? '';
    const inQuery = brackets.at(-1) ?? true;
    if (token === '(') {
      brackets.push(next === 'select');
      out += token;
      if (next === 'select') line();
    } else if (token === ')') {
      const ends = brackets.pop() === true;
      if (ends) line();
      out += token;
    } else if (
      token === ' ' &&
      inQuery &&
      !['cross', 'left'].includes(tokens[i - 1] ?? '') &&
      CLAUSES.test(next)
    ) {
      line();
      if (next === 'and') out += '  ';
    } else out += token;
  }
  return `${out.replace(/[ ]+\n/g, '\n')}\n`;
}
