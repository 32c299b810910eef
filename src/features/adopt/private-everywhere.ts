/** Attributes that `config/api` of a Strapi project hides in all types (`responses.privateAttributes`). */
import { isText } from '../../kernel/json.js';
import type { Remark } from './remark.js';
import { objectOf, type SourceSchema, SYSTEM } from './source-schema.js';

const CONFIG = /(?:^|\/)config\/(?:env\/[^/]+\/)?api\.(?:[cm]?[jt]s|json)$/;
const COMMENT = /\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const OPTION = /(['"]?)\bprivateAttributes\1\s*:\s*(\[[^\]]*\])?/g;
const NAMES = /^\[\s*(?:(['"`])\w+\1\s*,?\s*)*\]$/;

const OF_CODE = '"privateAttributes" is code: mark these attributes as private in the definitions';
const NOT_PRIVATE = 'The attribute is not private: every response shows it';

/** Whether a file is the configuration of the API, of one environment or of all. */
export const isApiConfig = (file: string): boolean => CONFIG.test(file);

export interface PrivateNames {
  readonly names: readonly string[];
  readonly remarks: readonly Remark[];
}

/** Returns the names in the text of a configuration, which is not run; remarks for those it cannot read. */
export function privateNames(text: string, file: string): PrivateNames {
  const lists = [...text.replace(COMMENT, '').matchAll(OPTION)].map(([, , list = '']) => list);
  const names = lists
    .filter((list) => NAMES.test(list))
    .flatMap((list) => [...list.matchAll(/\w+/g)].map(([name]) => name));
  const none = (key: string, note: string): Remark => ({
    list: 'none',
    subject: file,
    key,
    text: note,
    file,
  });
  return {
    names,
    remarks: [
      ...lists.filter((list) => !NAMES.test(list)).map(() => none('responses.privateAttributes', OF_CODE)),
      ...names.filter((name) => SYSTEM.includes(name)).map((name) => none(name, NOT_PRIVATE)),
    ],
  };
}

/** Returns schemas in which attributes with these names are private. */
export function withPrivate(schemas: readonly SourceSchema[], names: readonly string[]): SourceSchema[] {
  return schemas.map((one) => {
    const { privateAttributes: given, ...options } = objectOf(one.schema['options']);
    const own = Object.keys(objectOf(one.schema['attributes'])).filter(
      (name) => names.includes(name) && !SYSTEM.includes(name),
    );
    if (own.length === 0) return one;
    const privateAttributes = [...new Set([...(Array.isArray(given) ? given.filter(isText) : []), ...own])];
    return { ...one, schema: { ...one.schema, options: { ...options, privateAttributes } } };
  });
}
