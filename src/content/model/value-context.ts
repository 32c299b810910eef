/** Context of a checked value: its path, and whether messages may show it (D27). */
import { type Issue, HIDDEN_ISSUE } from '../../kernel/errors.js';
import { typeMessage } from './print-value.js';

/**
 * Path of a value, and whether it is in a draft: drafts skip required, min, minLength, regex, e-mail (8.11).
 * A message for `report` must not contain the value; `reportType` and `reportNull` decide whether to show it.
 */
export interface ValueContext {
  readonly path: readonly string[];
  readonly label: string;
  readonly draft: boolean;
  readonly report: (message: string, value?: unknown, below?: readonly string[]) => void;
  readonly reportType: (type: string, value: unknown, castFrom?: unknown) => void;
  readonly reportNull: (type: string) => void;
}

interface ValuePlace {
  readonly path: readonly string[];
  readonly draft: boolean;
  readonly issues: Issue[];
}

/** Computes labels lazily, because most values have no problem. */
class SentValue implements ValueContext {
  constructor(protected readonly where: ValuePlace) {}

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

  // A null may always be shown, even if the request did not contain it.
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

export const sentValue = (where: ValuePlace): ValueContext => new SentValue(where);

/**
 * Context of a value outside the request, such as a stored value, a default or a hook's value: no message
 * shows it.
 */
export const storedValue = (where: ValuePlace): ValueContext => new StoredValue(where);

/**
 * Context of a value whose existence is confidential: all problems of all such values become one, without a
 * path.
 */
export function untoldValue({ path, draft, issues }: ValuePlace): ValueContext {
  const report = (): void => {
    if (!issues.includes(HIDDEN_ISSUE)) issues.push(HIDDEN_ISSUE);
  };
  return { path, label: '', draft, report, reportType: report, reportNull: report };
}
