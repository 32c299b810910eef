/** Text editors outside the tree of components, which a key does not render. */
import { type RefObject, useEffect, useRef, useState } from 'react';

/** Appearance of a text editor, which may change while it is open. */
export interface Look {
  readonly label: string;
  readonly readOnly: boolean;
  readonly dir: 'ltr' | 'rtl' | 'auto';
  readonly describedBy: string | undefined;
  readonly placeholder: string | undefined;
}

interface TextView<T> {
  set(value: T): void;
  restyle(look: Look): void;
  destroy(): void;
}

interface Shown<T, V> {
  readonly value: T;
  readonly look: Look;
  /** Makes the view, once for a place in the form. Its functions must be those of the last rendering. */
  readonly open: (place: HTMLElement) => V;
}

/**
 * Returns the place of a text editor, and its view once it exists. The view follows the value and the look.
 */
export function useTextView<T, V extends TextView<T>>({
  value,
  look,
  open,
}: Shown<T, V>): readonly [RefObject<HTMLDivElement | null>, V | null] {
  const { label, readOnly, dir, describedBy, placeholder } = look;
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<V | null>(null);
  useEffect(() => {
    if (place.current === null) return;
    const opened = open(place.current);
    setView(opened);
    return () => opened.destroy();
  }, []);
  useEffect(() => view?.set(value), [view, value]);
  useEffect(
    () => view?.restyle({ label, readOnly, dir, describedBy, placeholder }),
    [view, label, readOnly, dir, describedBy, placeholder],
  );
  return [place, view];
}
