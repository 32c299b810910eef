/** Fields of the open form, which the palette finds by their labels. */
import { fieldsOf, kindOf, type Model, type Part } from '../model/model.ts';
import type { Entry } from '../model/palette-order.ts';
import { CONTENT } from '../parts/page-change.ts';
import { firstField } from '../parts/dialog.tsx';

/** Start of the paths of entries that are fields. */
const FIELD = '#';

const elementAt = (path: string): HTMLElement | null =>
  document.getElementById(CONTENT)?.querySelector<HTMLElement>(`[data-path="${path}"]`) ?? null;

interface Place {
  /** Path of the part in the form, with a slash at its end. */
  readonly at: string;
  readonly hint: string;
}

/** Returns the fields of a part that the page shows, with those of its components. A list is one field. */
export function shownFields(part: Part, model: Model, { at, hint }: Place): readonly Entry[] {
  return fieldsOf(part).flatMap((attribute) => {
    const { name, label, component = '' } = attribute;
    const path = `${at}${name}`;
    if (elementAt(path) === null) return [];
    const inside = kindOf(attribute) === 'item' ? model.component(component) : null;
    const entry = { path: `${FIELD}${path}`, label, hint };
    return [entry, ...(inside === null ? [] : shownFields(inside, model, { at: `${path}/`, hint: label }))];
  });
}

export const isField = (path: string): boolean => path.startsWith(FIELD);

/** Moves the focus to a field, in the middle of the window unless the field is tall. */
export function jumpTo(path: string): void {
  const element = elementAt(path.slice(FIELD.length));
  if (element === null) return;
  element.scrollIntoView({ block: element.clientHeight > innerHeight / 2 ? 'start' : 'center' });
  const control = element.matches('input, textarea') ? element : firstField(element);
  (control ?? element.querySelector('button'))?.focus();
}
