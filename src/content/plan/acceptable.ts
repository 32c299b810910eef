import type { Issue } from '../../kernel/errors.js';
import { sentValue } from '../model/value-context.js';
import type { GivenValues } from './given.js';

function check({ scalars, embedded }: GivenValues, draft: boolean, issues: Issue[]): void {
  for (const { attribute, raw } of scalars.values()) {
    if (raw === undefined || raw === null) continue;
    attribute.type.castValue(raw, attribute.def, sentValue({ path: [attribute.name], draft, issues }));
  }
  for (const { instances } of embedded.values())
    for (const instance of instances) if (instance !== null) check(instance.values, draft, issues);
}

/** Whether every scalar of a body passes its own rules: type, length, bounds, format. */
export function areAcceptable(values: GivenValues, draft: boolean): boolean {
  const issues: Issue[] = [];
  check(values, draft, issues);
  return issues.length === 0;
}
