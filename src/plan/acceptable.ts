/** Whether the values of a body can be accepted at all, before anything is looked up. */
import type { Issue } from '../errors.js';
import { sentPlace } from '../schema/place.js';
import type { Given, GivenValues } from './body.js';

function check(given: Given, draft: boolean, issues: Issue[]): void {
  if (given.kind === 'embedded')
    given.instances.forEach((item) => item?.values.forEach((value) => check(value, draft, issues)));
  if (given.kind !== 'scalar' || given.raw === undefined || given.raw === null) return;
  const { attribute, raw } = given;
  attribute.type.accept(raw, attribute.def, sentPlace({ path: [attribute.name], draft, issues }));
}

/** Whether every scalar that a body gives passes its own rules: type, length, bounds, format. */
export function areAcceptable(values: GivenValues, draft: boolean): boolean {
  const issues: Issue[] = [];
  values.forEach((value) => check(value, draft, issues));
  return issues.length === 0;
}
