import type { Link } from '../form/values.ts';

/** Returns the Markdown of a picture. Its text is the alternative text of the file. */
export function pictureText({ title, file }: Link): string {
  const { alternativeText, url } = file ?? {};
  const text =
    typeof alternativeText === 'string' && alternativeText !== '' ? alternativeText : (title ?? '');
  const address = typeof url === 'string' ? encodeURI(decodeURI(url)) : '';
  return `![${text.replace(/[[\]\\]/g, '\\$&')}](${address.replace(/\(/g, '%28').replace(/\)/g, '%29')})`;
}
