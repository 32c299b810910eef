import type { Link } from '../form/values.ts';

/** Returns the Markdown of a picture. Its text is the alternative text of the file. */
export function pictureText({ title, file }: Link): string {
  const { alternativeText, url } = file ?? {};
  const text =
    typeof alternativeText === 'string' && alternativeText !== '' ? alternativeText : (title ?? '');
  const address = typeof url === 'string' ? encodeURI(decodeURI(url)) : '';
  // An empty line would end the picture.
  const inLine = text.replace(/\s+/g, ' ').replace(/[[\]\\]/g, '\\$&');
  return `![${inLine}](${address.replace(/\(/g, '%28').replace(/\)/g, '%29')})`;
}
