/** Where a value stands, and what may be told when it is refused (D27). */
import { type Issue, UNTOLD } from '../errors.js';
import { typeMessage } from './print-value.js';

/**
 * The place of a value, and whether it is a draft's (drafts skip required, min, minLength, regex, e-mail;
 * 8.11). Messages given to `report` hold no value; what does is told by the other two.
 */
export interface Place {
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

const labelOf = (path: readonly string[]): string =>
  path.map((part, i) => (/^\d+$/.test(part) ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');

/** The place of a value that the request carried: problems show it. */
export function sentPlace({ path, draft, issues }: Where): Place {
  const label = labelOf(path);
  const report: Place['report'] = (message, value, below = []) =>
    void issues.push({
      path: [...path, ...below],
      message,
      name: 'ValidationError',
      ...(value === undefined ? {} : { value }),
    });
  return {
    path,
    label,
    draft,
    report,
    reportType: (type, value, castFrom) => report(typeMessage(label, type, value, castFrom), value),
    reportNull: (type) => report(typeMessage(label, type, null), null),
  };
}

/**
 * The place of a value that the request did not carry (stored, a default, a hook's): no problem can show it.
 */
export function storedPlace(where: Where): Place {
  const sent = sentPlace(where);
  return {
    ...sent,
    report: (message, _value, below) => sent.report(message, undefined, below),
    reportType: (type) => sent.report(`${sent.label} must be a \`${type}\` type`),
  };
}

/** A place that must not be told: all problems of all such places are one, without a path. */
export function untoldPlace({ path, draft, issues }: Where): Place {
  const report = (): void => {
    if (!issues.includes(UNTOLD)) issues.push(UNTOLD);
  };
  return { path, label: '', draft, report, reportType: report, reportNull: report };
}
