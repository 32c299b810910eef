/** Layouts of types, components and attributes in the desk. Nothing else depends on them. */
import { isFilledText, isObject } from '../../kernel/json.js';

/** Names that every document has in addition to its attributes. */
export const ALWAYS_LISTED = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale'] as const;

/** Text for editors: the same in all languages of the desk, or by their codes, such as `{ en: …, de: … }`. */
export type DeskText = string | Readonly<Record<string, string>>;

export function isDeskText(value: unknown): value is DeskText {
  if (!isObject(value) || Array.isArray(value)) return isFilledText(value);
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([code, text]) => /^[a-z]{2}$/.test(code) && isFilledText(text));
}

/** Returns a text in a language of the desk, or else in the first one that it has. */
export const textIn = (text: DeskText, language: string): string =>
  typeof text === 'string' ? text : (text[language] ?? Object.values(text)[0] ?? '');

/** Version that a preview shows. */
export interface PreviewedVersion {
  readonly status: 'draft' | 'published';
  readonly locale: string;
  /**
   * Token that reads this version at `GET /desk/preview`, for a short time. Null if the desk has no secret,
   * or the editor has no roles.
   */
  readonly token: string | null;
}

export interface ModelLayout {
  /** Name of one document or instance. Default: the API id as words. */
  readonly label?: DeskText;
  /**
   * Attribute that names a document or instance in lists and relations. Default: the first text that the
   * caller can read, else the document id.
   */
  readonly title?: string;
  /** Explanation for editors. Default: none. */
  readonly description?: DeskText;
  /** Heading under which the desk lists the type or component. Default: none. */
  readonly group?: DeskText;
}

/** Layout of a component. */
export type ComponentLayout = ModelLayout;

/** Layout of a content type. */
export interface TypeLayout extends ModelLayout {
  /** Name of the list, and of its entry in the menu. Default: the plural API id as words. */
  readonly plural?: DeskText;
  /**
   * Columns of the list: attributes, `id`, `documentId`, `createdAt`, `updatedAt`, `publishedAt` or `locale`.
   * Default: the title, and the first three other values that the caller can read.
   */
  readonly list?: readonly string[];
  /**
   * Integer attribute with the order of the documents. The list is then sorted by it, and editors move its
   * rows. Default: none.
   */
  readonly order?: string;
  /** Omits the type from the menu; relations still show it. Default false. */
  readonly hidden?: boolean;
  /**
   * Returns the path or URL of a page that shows a document. The document is as the editor may read it, with
   * `populate=*`. Default: no preview.
   */
  readonly preview?: (document: Readonly<Record<string, unknown>>, version: PreviewedVersion) => string;
}

/** Layout of an attribute. */
export interface AttributeLayout {
  /** Default: the name as words, `firstName` as "First name". */
  readonly label?: DeskText;
  /** Explanation below the field. Default: none. */
  readonly description?: DeskText;
  /** Width of the field in columns of 12. Default: by the type of the attribute. */
  readonly width?: number;
  /** Name of a field of the host, see the option `extension` of the desk. Default: the desk's own one. */
  readonly field?: string;
  /** Text in the empty field. Default: none. */
  readonly placeholder?: DeskText;
  /** Names of the values of an enumeration. Default: each value as it is. */
  readonly values?: Readonly<Record<string, DeskText>>;
}
