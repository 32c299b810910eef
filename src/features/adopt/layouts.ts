/** Layouts of the desk, from the settings of Strapi's content manager. */
import { isObject, isText } from '../../kernel/json.js';
import { objectOf, type SourceModel, textOf } from './source-schema.js';
import type { StrapiObject } from './strapi-archive.js';

/** Settings of the content manager by uid of type or component. */
export type Layouts = ReadonlyMap<string, StrapiObject>;

const KEY = /^plugin_content_manager_configuration_(content_types|components)::(.+)$/;

/**
 * Returns the uid and the settings of a row of the core store, with null for settings that cannot be read;
 * null for other rows.
 */
export function layoutIn({ key, value }: StrapiObject): readonly [string, StrapiObject | null] | null {
  const [, , uid] = KEY.exec(textOf(key)) ?? [];
  if (uid === undefined) return null;
  try {
    const settings: unknown = isText(value) ? JSON.parse(value) : value;
    return [uid, isObject(settings) ? settings : null];
  } catch {
    return [uid, null];
  }
}

export interface Layout {
  readonly title?: string;
  readonly list: readonly string[];
  /** Layouts of attributes by name. */
  readonly attributes: ReadonlyMap<string, Record<string, unknown>>;
}

/** Names as Strapi derives its default labels from them. */
const plain = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

const WIDTHS = 12;

const rowsOf = (edit: unknown): readonly unknown[] => (Array.isArray(edit) ? edit.flat() : []);

function attributeLayout(metadata: StrapiObject, name: string, width: unknown): Record<string, unknown> {
  const edit = objectOf(metadata['edit']);
  const label = textOf(edit['label']);
  const isDefault = plain(label) === plain(name);
  const size = Number(width);
  return {
    ...(label === '' || isDefault ? {} : { label }),
    ...(textOf(edit['description']) === '' ? {} : { description: textOf(edit['description']) }),
    ...(Number.isInteger(size) && size > 0 && size < WIDTHS ? { width: size } : {}),
    ...(textOf(edit['placeholder']) === '' ? {} : { placeholder: textOf(edit['placeholder']) }),
  };
}

/** Returns the layout of a type or component; null if the settings have none. */
export function layoutOf({ uid, attributes }: SourceModel, layouts: Layouts): Layout | null {
  const found = layouts.get(uid);
  if (found === undefined) return null;
  const { mainField } = objectOf(found['settings']);
  const metadatas = objectOf(found['metadatas']);
  const { list, edit } = objectOf(found['layouts']);
  const widths = new Map(rowsOf(edit).map((one) => [textOf(objectOf(one)['name']), objectOf(one)['size']]));
  const laid = Object.keys(attributes).map((name): [string, Record<string, unknown>] => [
    name,
    attributeLayout(objectOf(metadatas[name]), name, widths.get(name)),
  ]);
  return {
    ...(isText(mainField) && Object.hasOwn(attributes, mainField) ? { title: mainField } : {}),
    list: Array.isArray(list) ? list.filter(isText) : [],
    attributes: new Map(laid.filter(([, layout]) => Object.keys(layout).length > 0)),
  };
}
