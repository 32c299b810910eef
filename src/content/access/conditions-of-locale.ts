/** Whether conditions of grants can hold for a version of which only the locale is known. */
import { isObject } from '../../kernel/json.js';
import { type Decision, type Formula, grantedOf } from './decide.js';

/** Whether a condition on `locale` can hold. Operators other than these may hold. */
function mayBe(condition: unknown, locale: string): boolean {
  if (Array.isArray(condition)) return condition.includes(locale);
  if (!isObject(condition)) return condition === locale;
  return Object.entries(condition).every(([operator, operand]) => {
    if (operator === '$eq' || operator === '$in') return mayBe(operand, locale);
    return operator !== '$ne' || operand !== locale;
  });
}

function mayMatch(filters: unknown, locale: string): boolean {
  if (!isObject(filters)) return true;
  return Object.entries(filters).every(([key, of]) => {
    if (key === 'locale') return mayBe(of, locale);
    if (key === '$and' && Array.isArray(of)) return of.every((one) => mayMatch(one, locale));
    if (key === '$or' && Array.isArray(of)) return of.some((one) => mayMatch(one, locale));
    return true;
  });
}

function mayMeet(formula: Formula, locale: string): boolean {
  if (formula.kind === 'own') return true;
  if (formula.kind === 'where') return mayMatch(JSON.parse(formula.key), locale);
  const test = (part: Formula): boolean => mayMeet(part, locale);
  return formula.kind === 'all' ? formula.parts.every(test) : formula.parts.some(test);
}

/** Whether the documents of a decision can have a version in a locale. */
export function mayHoldIn(decision: Decision, locale: string): boolean {
  const granted = grantedOf(decision);
  return granted === null ? decision !== 'none' : mayMeet(granted.formula, locale);
}
