/** Fields, screens and languages of the host: the default export of the ES module that `extension` names. */
import type { DeskAttribute } from './desk-model.js';

/** `HTMLElement` in projects with the types of browsers. */
type DeskElement = typeof globalThis extends { HTMLElement: { prototype: infer E } } ? E : unknown;

/** Request to the content routes, with the session of the editor. */
export interface DeskRequest {
  /** Default `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Parameters of the query string; objects and lists are nested as in requests to the API. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** JSON. */
  readonly body?: object;
}

/** Tools of fields and screens. */
export interface DeskTools {
  /** Language of the desk, such as `en`. */
  readonly language: string;
  /**
   * Sends a request to a path below the content routes, such as `/articles`, and returns the body. Rejects
   * with an Error for an error response, and without a connection.
   */
  readonly request: (path: string, request?: DeskRequest) => Promise<unknown>;
}

/** Place of one value in the form that the editor has open. */
export interface DeskFieldPlace extends DeskTools {
  readonly attribute: DeskAttribute;
  /** Path in the form, such as `colour` or `seo/colour`. */
  readonly path: string;
  /** Language of the document. */
  readonly locale: string;
  /** Whether the editor may not change the value. */
  readonly readOnly: boolean;
  /** Returns the value of the form, as JSON. */
  readonly get: () => unknown;
  /** Changes the value of the form. The desk saves, merges and recovers it as any other value. */
  readonly set: (value: unknown) => void;
  /** Calls the listener after each change of the value. Returns a function that ends it. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** Ends what `mount` has begun. */
type DeskUnmount = () => void;

/** Field of the host, for attributes with `desk: { field: name }`. */
export interface DeskField {
  /** Draws the field into an empty element. */
  readonly mount: (element: DeskElement, place: DeskFieldPlace) => DeskUnmount | undefined;
}

/** Screen of the host, with an entry in the menu. */
export interface DeskScreen {
  /** Last part of the address: small letters, digits and dashes. */
  readonly name: string;
  /** Text of the entry, the same in all languages of the desk, or by their codes. */
  readonly label: string | Readonly<Record<string, string>>;
  /** Draws the screen into an empty element, below its heading. */
  readonly mount: (element: DeskElement, tools: DeskTools) => DeskUnmount | undefined;
}

/**
 * Texts of the desk by their names, in the groups of `desk/src/texts/en.ts`. A text with values is a function
 * of them, such as `(title) => …`. The desk shows texts that are omitted in English.
 */
export interface DeskTexts {
  readonly [name: string]: string | ((...values: never[]) => unknown) | DeskTexts;
}

/** Language of the host, which editors can choose. */
export interface DeskHostLanguage {
  /** Name of the language in itself, such as `עברית`. */
  readonly name: string;
  readonly texts: DeskTexts;
}

/**
 * Default export of the module that the option `extension` of `DeskModule` names.
 *
 * @publicApi
 */
export interface DeskExtension {
  /** Fields by name. */
  readonly fields?: Readonly<Record<string, DeskField>>;
  readonly screens?: readonly DeskScreen[];
  /** Languages by their codes of two letters. Those written from right to left mirror the desk. */
  readonly languages?: Readonly<Record<string, DeskHostLanguage>>;
}
