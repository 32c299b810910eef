/** Reads the `fileInfo` field of an upload form (20.4). */
import type { FieldScope } from '../../content/access/field-scope.js';
import { type ContentError, invalidKey, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { unstorable } from '../../content/model/cast-value.js';
import { checkedName } from './file-names.js';

export interface FileInfo {
  readonly name?: string;
  readonly alternativeText?: string | null;
  readonly caption?: string | null;
  /** Focal point in percent of width and height, from the upper left corner. */
  readonly focalPoint?: { readonly x: number; readonly y: number } | null;
  /** Path of the folder, `/countries/flags`; null for the root. */
  readonly folderPath?: string | null;
}

const refused = (key: string, at: string, expected: string): ContentError =>
  validationError(`${at}.${key} must be ${expected}`, { key, path: `${at}.${key}`, source: 'body' });

const isText = (value: unknown): value is string | null => value === null || typeof value === 'string';

const isPercent = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 100;

/** Maximum length of a folder path in characters. */
const MAX_FOLDER_LENGTH = 255;
const FOLDER = /^(\/[^/\\\p{Cc}]{1,100}){1,20}$/u;

/** Refuses text that a row cannot store, before the bytes are stored. */
function textAt(value: unknown, key: string, at: string): string | null {
  if (!isText(value)) throw refused(key, at, 'a string or null');
  if (unstorable(value)) throw refused(key, at, 'a string without NUL characters or broken surrogates');
  return value;
}

function pointAt(value: unknown, key: string, at: string): FileInfo['focalPoint'] {
  if (value === null) return null;
  if (isObject(value) && isPercent(value['x']) && isPercent(value['y']))
    return { x: value['x'], y: value['y'] };
  throw refused(key, at, 'null or { x, y } in percent, each between 0 and 100');
}

function folderAt(value: unknown, key: string, at: string): string | null {
  if (value === null || value === '/') return null;
  const isPath =
    typeof value === 'string' &&
    value.isWellFormed() &&
    value.length <= MAX_FOLDER_LENGTH &&
    FOLDER.test(value) &&
    !/\/\.{1,2}(\/|$)/.test(value);
  if (!isPath) throw refused(key, at, 'a path such as "/countries/flags", or null');
  return value;
}

const attributeOf = (key: string): string => (key === 'folder' ? 'folderPath' : key);

type Read = (value: unknown, key: string, at: string) => FileInfo;

const KEYS: Readonly<Record<string, Read>> = {
  name: (value, key, at) => {
    if (typeof value !== 'string') throw refused(key, at, 'a string');
    return { name: checkedName(value) };
  },
  alternativeText: (value, key, at) => ({ alternativeText: textAt(value, key, at) }),
  caption: (value, key, at) => ({ caption: textAt(value, key, at) }),
  focalPoint: (value, key, at) => ({ focalPoint: pointAt(value, key, at) ?? null }),
  folder: (value, key, at) => ({ folderPath: folderAt(value, key, at) }),
};

/** Returns the attributes of one file. Throws a ValidationError for a key that is unknown or not granted. */
function infoOf(value: unknown, at: string, granted: FieldScope): FileInfo {
  if (!isObject(value))
    throw validationError(`${at} must be an object`, { key: at, path: at, source: 'body' });
  const parts = Object.entries(value).map(([key, input]) => {
    const read = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (read === undefined || granted?.has(attributeOf(key)) === false)
      throw invalidKey(key, { at, path: `${at}.${key}` }, { source: 'body' });
    return input === undefined ? {} : read(input, key, at);
  });
  return Object.assign({}, ...parts) as FileInfo;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw validationError('fileInfo is not valid JSON', {
      key: 'fileInfo',
      path: 'fileInfo',
      source: 'body',
    });
  }
}

/**
 * Returns the `fileInfo` of `count` files, in their order. One file takes a JSON object; several take a list,
 * or one field each. Throws a ValidationError if the number differs, and for attributes that are not granted.
 */
export function infosOf(texts: readonly string[], count: number, granted: FieldScope): readonly FileInfo[] {
  if (texts.length === 0) return Array.from({ length: count }, () => ({}));
  const values = texts.map(parsed).flat();
  if (values.length !== count)
    throw validationError(
      `fileInfo must have one entry per file: ${count} expected, ${values.length} found`,
      {
        key: 'fileInfo',
        path: 'fileInfo',
        source: 'body',
      },
    );
  return values.map((value, index) => infoOf(value, count === 1 ? 'fileInfo' : `fileInfo.${index}`, granted));
}

export const infoOfBody = (value: unknown, granted: FieldScope): FileInfo =>
  infoOf(value, 'fileInfo', granted);
