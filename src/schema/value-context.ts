/** Where a value stands, and what may be told when it is refused (D27). */
import { type Issue, UNTOLD } from '../errors.js';
import { typeMessage } from './print-value.js';

/**
 * The place of a value, and whether it is a draft's (drafts skip required, min, minLength, regex, e-mail;
 * 8.11). Messages given to `report` hold no value; what does is told by the other two.
 */
export interface ValueContext {
  readonly path: readonly string[];
  readonly label: string;
  readonly draft: boolean;
  readonly report: (message: string, value?: unknown, below?: readonly string[]) => void;
  /** The value is of the wrong type; `castFrom` is what it was before it was converted. */
  readonly reportType: (type: string, value: unknown, castFrom?: unknown) => void;
  /** A required value is null; `type` is its label. */
  readonly reportNull: (type: string) => void;
}

interface Where {
  readonly path: readonly string[];
  readonly draft: boolean;
  /** Where problems go. */
  readonly issues: Issue[];
}

/** Most values have no problem, so nothing is put together for them before it is asked for. */
class SentValue implements ValueContext {
  constructor(protected readonly where: Where) {}

  get path(): readonly string[] {
    return this.where.path;
  }

  get draft(): boolean {
    return this.where.draft;
  }

  get label(): string {
    return this.path
      .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
      .join('')
      .replace(/^\./, '');
  }

  report(message: string, value?: unknown, below: readonly string[] = []): void {
    this.where.issues.push({
      path: [...this.path, ...below],
      message,
      name: 'ValidationError',
      ...(value === undefined ? {} : { value }),
    });
  }

  reportType(type: string, value: unknown, castFrom?: unknown): void {
    this.report(typeMessage(this.label, type, { value, castFrom }), value);
  }

  // A null that a request did not carry is none of the values that it must not be shown.
  reportNull(type: string): void {
    SentValue.prototype.report.call(this, typeMessage(this.label, type, { value: null }), null);
  }
}

class StoredValue extends SentValue {
  override report(message: string, _value?: unknown, below?: readonly string[]): void {
    super.report(message, undefined, below);
  }

  override reportType(type: string): void {
    super.report(`${this.label} must be a \`${type}\` type`);
  }
}

/** The place of a value that the request carried: problems show it. */
export const sentValue = (where: Where): ValueContext => new SentValue(where);

/**
 * The place of a value that the request did not carry (stored, a default, a hook's): no problem can show it.
 */
export const storedValue = (where: Where): ValueContext => new StoredValue(where);

/** A place that must not be told: all problems of all such places are one, without a path. */
export function untoldValue({ path, draft, issues }: Where): ValueContext {
  const report = (): void => {
    if (!issues.includes(UNTOLD)) issues.push(UNTOLD);
  };
  return { path, label: '', draft, report, reportType: report, reportNull: report };
}
