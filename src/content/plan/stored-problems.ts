/** Problems of stored values: their locations, and why a write would reject them. */
import type { Issue } from '../../kernel/errors.js';
import type { Attribute, EmbeddedAttribute, Model } from '../model/model.js';
import { storedValue } from '../model/value-context.js';
import { componentOf } from './given.js';
import { checkValue } from './plan-value.js';
import { checkCount } from './plan-values.js';
import { instancesOf, type StoredValues } from './stored-instances.js';

export const isEmbedded = (attribute: Attribute): attribute is EmbeddedAttribute => 'components' in attribute;

export const embeddedIn = ({ attributes }: Model): EmbeddedAttribute[] =>
  [...attributes.values()].filter(isEmbedded);

/** Values of a document or instance, and their location. */
export interface Holder {
  readonly model: Model;
  readonly at: string;
  readonly values: StoredValues;
}

/**
 * Yields a document or instance and all instances in it. Calls `lost` for instances of unknown components.
 */
export function* holdersIn(holder: Holder, lost: (at: string) => void): Generator<Holder> {
  yield holder;
  const { model, at, values } = holder;
  for (const attribute of embeddedIn(model))
    for (const item of instancesOf(values[attribute.name])) {
      const component = componentOf(attribute, item);
      const inner = `${at}.${attribute.name}`;
      if (component === undefined) lost(`${inner} of "${String(item['__component'])}"`);
      else yield* holdersIn({ model: component, at: inner, values: item }, lost);
    }
}

/** Returns why a write would reject or clear a stored value; null if a request body may contain it. */
export function problemOf(attribute: Attribute, value: unknown, draft: boolean): string | null {
  const isMissing = (value ?? null) === null;
  if (attribute.linked || attribute.def.type === 'password' || (isMissing && !attribute.required))
    return null;
  const issues: Issue[] = [];
  const at = storedValue({ path: [attribute.name], draft, issues });
  if ('components' in attribute) checkCount(instancesOf(value), attribute, at);
  else if (!isMissing) {
    const cast = attribute.type.castValue(value, attribute.def, at) ?? null;
    if (cast === null) at.reportType(attribute.type.label, value);
    else if (!draft) checkValue(cast, { attribute, raw: value, at });
  }
  if (isMissing && !draft) at.report(`${attribute.name} must be defined`);
  return issues[0]?.message ?? null;
}
