/** Media types: synonyms, and types that a browser could run. */
import mime from 'mime';

/** Synonyms, and types that their first bytes do not distinguish. */
const SAME: readonly ReadonlySet<string>[] = [
  ['image/jpeg', 'image/jpg', 'image/pjpeg'],
  ['image/png', 'image/x-png', 'image/apng', 'image/vnd.mozilla.apng'],
  ['image/bmp', 'image/x-ms-bmp', 'image/x-bmp'],
  ['image/x-icon', 'image/vnd.microsoft.icon', 'image/ico'],
  ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  ['application/pdf', 'application/x-pdf'],
  ['application/gzip', 'application/x-gzip', 'application/x-compressed-tar', 'application/x-gtar'],
  ['application/x-7z-compressed', 'application/x-7z'],
  ['application/x-rar-compressed', 'application/vnd.rar', 'application/x-rar'],
  ['application/rtf', 'text/rtf'],
  ['audio/mpeg', 'audio/mp3', 'audio/x-mp3', 'audio/mpeg3'],
  ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
  ['audio/flac', 'audio/x-flac'],
  ['audio/aac', 'audio/x-aac', 'audio/aacp', 'audio/x-hx-aac-adts'],
  ['audio/ogg', 'video/ogg', 'application/ogg', 'audio/opus', 'audio/x-opus+ogg', 'audio/vorbis'],
  ['video/webm', 'audio/webm', 'video/matroska', 'video/x-matroska', 'audio/matroska', 'audio/x-matroska'],
  ['video/mp4', 'audio/mp4', 'video/x-m4v', 'audio/x-m4a', 'audio/m4a', 'video/quicktime', 'application/mp4'],
  ['video/x-msvideo', 'video/vnd.avi', 'video/avi', 'video/msvideo'],
  ['text/csv', 'application/csv'],
  ['font/woff', 'application/font-woff', 'application/x-font-woff'],
  ['font/woff2', 'application/font-woff2'],
  ['font/ttf', 'font/sfnt', 'application/x-font-ttf', 'application/font-sfnt'],
  ['font/otf', 'font/sfnt', 'application/x-font-otf', 'application/font-sfnt'],
  ['application/xml', 'text/xml'],
].map((names) => new Set(names));

/** Container types, with the types that their bytes may also be. */
const HOLDERS: ReadonlyMap<string, RegExp> = new Map([
  ['application/zip', /zip|openxmlformats|opendocument|java-archive|\+zip$|^application\/vnd\./],
  ['application/x-cfb', /^application\/(msword|vnd\.ms-|vnd\.visio|x-mspublisher|x-msi)/],
  ['application/xml', /(\/|\+)xml$/],
  ['image/tiff', /^image\/x-/],
]);

export const isSynonym = (one: string, other: string): boolean =>
  one === other || SAME.some((names) => names.has(one) && names.has(other));

export const isSameKind = (found: string, named: string): boolean =>
  isSynonym(found, named) || HOLDERS.get(found)?.test(named) === true;

const ACTIVE: readonly RegExp[] = [
  /^text\/html$/,
  /^(text|application)\/xml$/,
  /^.+\+xml$/,
  /^(text|application)\/(x-)?(java|ecma)script$/,
  /^application\/x-shockwave-flash$/,
  /^message\/rfc822$/,
  /^multipart\/.+$/,
];

/** Whether a browser could run content of this type in the origin of the site. */
export const isActive = (type: string): boolean => ACTIVE.some((kind) => kind.test(type));

const TEXT = /^(text\/.+|application\/(json|ld\+json|x-ndjson|yaml|x-yaml|toml|sql|x-sh|x-tex|csv))$/;

/** Whether the type is text that only its name distinguishes from other text. */
export const isText = (type: string): boolean => TEXT.test(type) && !isActive(type);

/** Raster image types. Browsers show them and run nothing in them. */
export const RASTER: ReadonlySet<string> = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/tiff',
  'image/x-icon',
  'image/vnd.microsoft.icon',
  'image/heic',
  'image/heif',
]);

export const UNKNOWN = 'application/octet-stream';

export function declaredKind(contentType: string): string | null {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  return /^[\w.+-]{1,127}\/[\w.+-]{1,127}$/.test(type.trim()) && type.trim() !== UNKNOWN ? type.trim() : null;
}

export function kindOfExtension(ext: string): string | null {
  const type = ext === '' ? null : mime.getType(ext.slice(1));
  return type === UNKNOWN ? null : type;
}

export const extensionOfKind = (type: string): string => `.${mime.getExtension(type) ?? 'bin'}`;

export const hasExtension = (type: string, ext: string): boolean =>
  mime.getAllExtensions(type)?.has(ext.slice(1)) === true;
