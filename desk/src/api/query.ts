/** Query parameters, nested as in the protocol: `{ populate: { author: { fields: ['name'] } } }`. */
export type Parameters = { readonly [name: string]: Parameter };
export type Parameter = string | number | boolean | null | undefined | readonly Parameter[] | Parameters;

const encode = (text: string): string => encodeURIComponent(text).replace(/%5B/g, '[').replace(/%5D/g, ']');

function* pairsOf(value: Parameter, path: string): Generator<string> {
  if (value === undefined || value === null) return;
  if (typeof value !== 'object') yield `${encode(path)}=${encodeURIComponent(String(value))}`;
  else
    for (const [key, inner] of Object.entries<Parameter>(value as Parameters))
      yield* pairsOf(inner, path === '' ? key : `${path}[${key}]`);
}

/** Prints parameters as a query string with its question mark, or as an empty string. */
export function queryOf(parameters: Parameters): string {
  const pairs = [...pairsOf(parameters, '')];
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
