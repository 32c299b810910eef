/** Parses the documents of an archive without rounding their numbers. */
import type { ArchivedType } from '../../content/model/archive.js';
import { SYSTEM_COLUMNS } from '../../content/model/system-columns.js';
import type { StoredValues } from '../../content/plan/stored-instances.js';
import { isListOf, isObject, type Test } from '../../kernel/json.js';

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

declare global {
  interface JSON {
    parse(text: string, reviver: Reviver): unknown;
    /** Returns a value that `stringify` prints as this text. */
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): value is { readonly rawJSON: string };
  }
}

export const isRows: Test<readonly StoredValues[]> = isListOf((one): one is StoredValues => isObject(one));

/** Matches numbers that JavaScript may print differently: 16 digits, an exponent, or a last decimal 0. */
const ODD_NUMBER = /[:,[]\s*-?(?:[\d.]{16}|\d+(?:\.\d*0(?!\d)|(?:\.\d+)?[eE]))/;

const unrounded: Reviver = (_key, value, { source = '' }) =>
  typeof value === 'number' && String(value) !== source ? JSON.rawJSON(source) : value;

/** Parser for the documents of a type. Long integers of 64-bit columns become texts, which are exact. */
export class DocumentParser {
  private readonly names: readonly string[];
  private readonly long: RegExp;
  private readonly hasJson: boolean;

  constructor({ columns }: ArchivedType) {
    const all = [...SYSTEM_COLUMNS, ...columns];
    this.names = all.filter(({ type }) => ['bigint', 'int8'].includes(type)).map(({ name }) => name);
    this.long = new RegExp(`"(${this.names.join('|')})":(-?\\d{16,})`, 'g');
    this.hasJson = columns.some(({ type }) => type === 'jsonb');
  }

  /** Returns null for a line that is not a JSON object. JSON values may be rounded. */
  parse(line: string): StoredValues | null {
    return parsed(this.quoted(line));
  }

  /** Like `parse`, but `JSON.stringify` prints the numbers of JSON values unrounded. */
  parseExactly(line: string): StoredValues | null {
    const quoted = this.quoted(line);
    const document = parsed(quoted);
    if (!this.hasJson || document === null) return document;
    // A JSON value may have a member that is named like a column.
    const hidden = (quoted.length - line.length) / 2 - this.textsIn(document['versions']);
    if (hidden === 0 && !ODD_NUMBER.test(quoted)) return document;
    // A reviver is seven times slower.
    return parsed(line, unrounded);
  }

  private quoted(line: string): string {
    return line.replace(this.long, '"$1":"$2"');
  }

  private textsIn(versions: unknown): number {
    if (!isRows(versions)) return 0;
    return versions.flatMap((one) => this.names.filter((name) => typeof one[name] === 'string')).length;
  }
}

function parsed(text: string, reviver: Reviver | undefined = undefined): StoredValues | null {
  try {
    const value: unknown = reviver === undefined ? JSON.parse(text) : JSON.parse(text, reviver);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
