/** Recorded cases: their files, and the templates and captures that connect them. */
import { readFileSync } from 'node:fs';
import type { Content } from './forms.ts';

/** One recorded request with the reference's response. */
export interface Case {
  readonly n: number;
  readonly group: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Path with `{{variables}}` that earlier cases captured. */
  readonly pathTemplate?: string;
  /** `public`, `jwt`, the name of a token, or `raw:<Authorization header>`. */
  readonly auth: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly bodyTemplate?: unknown;
  /** Variable → path into the response, as in `data.sections.0.id`. */
  readonly capture?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly response: unknown;
  readonly responseHeaders?: Readonly<Record<string, string | readonly string[]>>;
  readonly note?: string;
  readonly volatile?: boolean;
}

/** Content types and components as plain definitions, with the locales. */
export interface Model {
  readonly defaultLocale: string;
  readonly locales: readonly string[];
  readonly contentTypes: readonly TypeDefinition[];
  readonly components: readonly { readonly uid: string; readonly attributes: Attributes }[];
}

export type Attributes = Readonly<
  Record<string, { readonly type: string; readonly target?: string; readonly component?: string }>
>;

export interface TypeDefinition {
  readonly kind: 'collectionType' | 'singleType';
  readonly singularApiId: string;
  readonly pluralApiId: string;
  readonly draftAndPublish?: boolean;
  readonly localized?: boolean;
  readonly attributes: Attributes;
}

export interface Seed {
  readonly operations: readonly Operation[];
  readonly access: {
    readonly roles: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
    readonly tokens: readonly Token[];
    readonly users?: readonly User[];
  };
}

export interface User {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly confirmed: boolean;
  readonly blocked: boolean;
  /** Role of its grants. */
  readonly role: string;
}

export interface Token {
  readonly as: string;
  readonly type: 'full-access' | 'read-only' | 'custom';
  readonly permissions?: Readonly<Record<string, readonly string[]>>;
  readonly expiresAt?: string;
}

/** A step of the seed; `as` and `documentId` are references, which data may contain too. */
type Operation = Upload | Write;

export interface Upload {
  readonly op: 'upload';
  readonly as: string;
  readonly name: string;
  readonly mime: string;
  readonly content: Content;
  readonly fileInfo: Readonly<Record<string, unknown>>;
}

export interface Write {
  readonly op: 'create' | 'update' | 'publish';
  readonly type: string;
  readonly as?: string;
  readonly documentId?: string;
  readonly locale?: string;
  readonly status?: string;
  readonly data?: object;
}

export const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

const readLines = (file: string): Case[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Case);

/**
 * Returns the cases of all files in the order of their recording; files with equal numbers are not
 * interleaved.
 */
export function readCases(files: readonly string[]): Case[] {
  const cases = files.flatMap(readLines);
  const numbers = new Set(cases.map(({ n }) => n));
  return numbers.size === cases.length ? cases.sort((a, b) => a.n - b.n) : cases;
}

/** Values captured from our responses. */
export type Variables = Map<string, unknown>;

const VARIABLE = /\{\{(\w+)\}\}/g;

/** Returns the variables in a value's templates. */
export const variablesIn = (template: unknown): string[] =>
  [...(JSON.stringify(template) ?? '').matchAll(VARIABLE)].map(([, name]) => name as string);

/**
 * Replaces variables by their values. A text that consists of one variable becomes its value, of any type.
 */
export function fill(template: unknown, variables: Variables): unknown {
  if (typeof template === 'string') {
    const [whole] = /^\{\{\w+\}\}$/.exec(template) ?? [];
    if (whole !== undefined) return variables.get(whole.slice(2, -2));
    return template.replace(VARIABLE, (_match, name: string) => String(variables.get(name)));
  }
  return mapValues(template, (value) => fill(value, variables));
}

/** Returns the same list or object with every value replaced; other values as they are. */
export function mapValues(value: unknown, replace: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(replace);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, replace(entry)]));
}

/** Returns the value at a path such as `data.sections.0.id`. */
export const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value);
