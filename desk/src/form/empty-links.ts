/** Relations and media that are marked as required. The API publishes without them, unless it is strict. */
import { componentsOf, isWritable, kindOf, type Model, type Part } from '../model/model.ts';
import { isItem, type Values } from './values.ts';

/** Whether documents may lack a required link, also in components. `around`: parts that contain this one. */
export const mayLackLinks = (part: Part, model: Model, around: readonly Part[] = []): boolean =>
  !around.includes(part) &&
  part.attributes.some((attribute) => {
    if (kindOf(attribute) === 'links') return attribute.required && isWritable(attribute, false);
    return componentsOf(attribute).some((uid) => {
      const inner = model.component(uid);
      return inner !== null && mayLackLinks(inner, model, [...around, part]);
    });
  });

/** Returns the labels of those that are empty and that the editor may fill, also in components. */
export function emptyLinks(part: Part, values: Values, model: Model): readonly string[] {
  const labels = part.attributes.flatMap((attribute) => {
    const { name, label, required } = attribute;
    const value = values[name];
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (kindOf(attribute) === 'links')
      return required && isEmpty && isWritable(attribute, false) ? [label] : [];
    return [value]
      .flat()
      .filter(isItem)
      .flatMap((item) => {
        const inner = model.component(item.component);
        return inner === null ? [] : emptyLinks(inner, item.values, model).map((one) => `${label}: ${one}`);
      });
  });
  return [...new Set(labels)];
}
