/**
 * Keeps the focus near its place if its control is removed or disabled. Browsers give it to the page then, so
 * that a keyboard starts at the top again.
 */
import { useEffect } from 'react';
import { CONTENT, focusContent } from './page-change.ts';

const CONTROLS = 'a[href], button, input, textarea, select, summary, [contenteditable=true], [tabindex="0"]';

/** Outermost elements in which another control is looked for. */
const WHOLE = `#${CONTENT}, [role=dialog], body > *`;

/** Milliseconds in which dialogs, menus and new pages move the focus themselves. */
const GRACE = 60;

/** Place of an element among the children of its parent. */
interface Place {
  readonly parent: Element;
  readonly before: Element | null;
}

function placesOf(control: Element): readonly Place[] {
  const places: Place[] = [];
  let one = control;
  while (one.parentElement !== null && !one.matches(WHOLE) && !one.parentElement.matches(WHOLE)) {
    places.push({ parent: one.parentElement, before: one.previousElementSibling });
    one = one.parentElement;
  }
  return places;
}

const isUsable = (control: HTMLElement): boolean =>
  control.tabIndex >= 0 && !control.matches(':disabled, .desk-drag') && control.checkVisibility();

const usableIn = (element: Element): readonly HTMLElement[] =>
  [element, ...element.querySelectorAll(CONTROLS)].filter(
    (one): one is HTMLElement => one instanceof HTMLElement && one.matches(CONTROLS) && isUsable(one),
  );

/** First control after a place, else the last one before it. */
function nearest({ parent, before }: Place): HTMLElement | undefined {
  const children = [...parent.children];
  const at = before === null ? 0 : children.indexOf(before) + 1;
  const after = children.slice(at).flatMap(usableIn);
  return after[0] ?? children.slice(0, at).flatMap(usableIn).at(-1);
}

class FocusKeeper {
  private control: HTMLElement | null = null;
  private places: readonly Place[] = [];
  private isByPointer = false;
  /** Whether the control has lost the focus because it was disabled, as a button that sends is. */
  private isWaiting = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  readonly focused = ({ target }: Event): void => {
    this.isWaiting = false;
    this.control = target instanceof HTMLElement ? target : null;
    this.places = this.control === null ? [] : placesOf(this.control);
  };

  readonly used = ({ type }: Event): void => {
    this.isByPointer = type === 'pointerdown';
  };

  /** Waits for those that move the focus themselves. */
  readonly changed = (): void => {
    const { control } = this;
    if (document.activeElement !== document.body || control === null || this.isByPointer) return;
    this.isWaiting ||= control.isConnected && !isUsable(control);
    if (control.isConnected && !this.isWaiting) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(this.settle, GRACE);
  };

  private readonly settle = (): void => {
    const { control, places } = this;
    if (document.activeElement !== document.body || control === null) return;
    if (control.isConnected && control.matches('[data-loading]')) return;
    if (control.isConnected && isUsable(control)) return control.focus({ preventScroll: true });
    const known = places.filter(({ parent }) => parent.isConnected);
    const next = known.reduce<HTMLElement | undefined>((found, place) => found ?? nearest(place), undefined);
    if (next !== undefined) return next.focus();
    const dialog = [...document.querySelectorAll<HTMLElement>('[role=dialog]')].at(-1);
    if (dialog === undefined) focusContent();
    else usableIn(dialog)[0]?.focus();
  };
}

/** Text fields that open no list when they get the focus. */
const TEXT = 'input:not([type=file], [aria-haspopup]), textarea, [contenteditable=true]';

/**
 * Focuses the first text field of an element that an action has shown, else its first control. The focus
 * stays in a dialog that was opened since.
 */
export function focusShown(find: () => Element | null | undefined): void {
  setTimeout(() => {
    const element = find() ?? null;
    const dialog = document.activeElement?.closest('[role=dialog]');
    if (dialog?.contains(element) === false) return;
    const controls = element === null ? [] : usableIn(element);
    (controls.find((one) => one.matches(TEXT)) ?? controls[0])?.focus();
  }, GRACE);
}

/** Keeps the focus of users of a keyboard or a screen reader, on the page and in its dialogs. */
export function useFocusKeeper(): void {
  useEffect(() => {
    const keeper = new FocusKeeper();
    const observer = new MutationObserver(keeper.changed);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    document.addEventListener('focusin', keeper.focused);
    for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, keeper.used, true);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', keeper.focused);
      for (const type of ['pointerdown', 'keydown']) document.removeEventListener(type, keeper.used, true);
    };
  }, []);
}
