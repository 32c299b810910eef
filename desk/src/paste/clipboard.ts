/** Parts of a clipboard, and what they are. */

/** The part of a clipboard that a paste reads. */
interface Data {
  readonly files: ArrayLike<File>;
  getData(format: string): string;
}

export const picturesOf = (data: Data | null): File[] =>
  Array.from(data?.files ?? []).filter(({ type }) => type.startsWith('image/'));

export const readClipboard = (data: Data | null, type: 'html' | 'plain'): string =>
  data?.getData(`text/${type}`) ?? '';

/** Whether HTML is only the picture that the clipboard also has as a file. */
const isPicture = (html: string): boolean => html.replace(/<!--.*?-->|<[^>]*>/gs, '').trim() === '';

/** Pictures of a paste that has nothing else in it. */
export const onlyPictures = (data: Data | null): File[] =>
  isPicture(readClipboard(data, 'html')) ? picturesOf(data) : [];

const HEAD = /^(?:\s|<!--.*?-->|<\/?(?:html|head|body|meta)\b[^>]*>)*/is;
const SOURCE = /^<(?:pre\b|div\b[^>]*style=(?:"[^"]*|'[^']*)\bmonospace\b)/i;

/** Whether HTML is a piece of a source file, as editors of code copy it. Its colours mean nothing. */
export const isSource = (html: string): boolean => SOURCE.test(html.replace(HEAD, ''));
