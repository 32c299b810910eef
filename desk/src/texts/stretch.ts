/** Returns a part of a text without half a character at its ends, such as the half of an emoji. */
export const stretch = (text: string, from: number, to?: number): string =>
  text.slice(from, to).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
