/** Fields and entries of the open form, which the palette finds by their labels and titles. */
import { fieldsOf, kindOf, type Model, type Part } from '../model/model.ts';
import type { Entry } from '../model/palette-order.ts';
import { CONTENT } from '../parts/page-change.ts';
import { firstField } from '../parts/dialog.tsx';

/** Start of the paths of entries that are fields. */
const FIELD = '#';

const elementAt = (path: string): HTMLElement | null =>
  document.getElementById(CONTENT)?.querySelector<HTMLElement>(`[data-path="${path}"]`) ?? null;

/** Field in a form, or the closed entry around it. */
export function fieldIn(form: ParentNode | null, path: string): Element | null {
  const field = form?.querySelector(`[data-path="${path}"]`) ?? null;
  return field !== null || !path.includes('/') ? field : fieldIn(form, path.slice(0, path.lastIndexOf('/')));
}

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

/** Returns the entries of components and zones that the page shows, closed ones too. */
export function shownEntries(): readonly Entry[] {
  const rows = document.getElementById(CONTENT)?.querySelectorAll<HTMLElement>('[data-entry]') ?? [];
  const counts = new Map<string, number>();
  return [...rows].map(({ dataset: { path = '', entry = '', list = '' } }) => {
    const count = (counts.get(`${list} ${entry}`) ?? 0) + 1;
    counts.set(`${list} ${entry}`, count);
    // A number distinguishes entries without a title.
    return { path: `${FIELD}${path}`, label: entry, hint: count === 1 ? list : `${list} ${count}` };
  });
}

export const isField = (path: string): boolean => path.startsWith(FIELD);

/** Moves the focus to a field, or to the first one of an entry, which opens. */
export function jumpTo(path: string): void {
  const element = elementAt(path.slice(FIELD.length));
  if (element === null) return;
  // The first is the button of the entry itself; others may be inside.
  const toggle = element.matches('[data-entry]')
    ? element.querySelector<HTMLElement>('[aria-expanded]')
    : null;
  if (toggle?.getAttribute('aria-expanded') !== 'false') return focusIn(element);
  toggle.click();
  // The fields of an entry are rendered when it opens.
  requestAnimationFrame(() => focusIn(element));
}

/** Shows an element in the middle of the window, unless it is tall, and focuses its first control. */
export function focusIn(element: HTMLElement): void {
  element.scrollIntoView({ block: element.clientHeight > innerHeight / 2 ? 'start' : 'center' });
  const control = element.matches('input, textarea') ? element : firstField(element);
  (control ?? element.querySelector('button'))?.focus();
}
