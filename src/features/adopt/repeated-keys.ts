/** Keys that a JSON text repeats inside one object. JSON.parse keeps the last value and says nothing. */

interface Level {
  readonly keys: Set<string>;
  /** Key whose value is being read. */
  at: string;
}

/** Texts with the colon that makes them keys, and brackets. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/** Returns the paths of repeated keys in a valid JSON text, such as `attributes.title`. */
export function repeatedKeys(json: string): readonly string[] {
  const found = new Set<string>();
  const levels: Level[] = [];
  for (const [token, text = '', colon] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') levels.push({ keys: new Set(), at: '' });
    else if (token === '}' || token === ']') levels.pop();
    const level = levels.at(-1);
    if (colon === undefined || level === undefined) continue;
    level.at = String(JSON.parse(text));
    const path = levels.map(({ at }) => at).filter((key) => key !== '');
    if (level.keys.has(level.at)) found.add(path.join('.'));
    level.keys.add(level.at);
  }
  return [...found];
}
