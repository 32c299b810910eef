/** Changes of the page by links, which browsers do not see: a new page is shown from its top. */
import { useEffect } from 'react';
import { clearAnnouncement } from './messages.tsx';

/** Event of the router for a new entry of the history. Steps back and forward are the browser's. */
const NEW_PAGE = 'pushState';

/** Id of the element with the content of the page. */
export const CONTENT = 'content';

export const focusContent = (): void => document.getElementById(CONTENT)?.focus({ preventScroll: true });

/** Scrolls to the top of each new page, moves a focus there, and removes announcements of the former page. */
export function usePageChanges(): void {
  useEffect(() => {
    let path = location.pathname;
    const change = (): void => {
      const isNew = location.pathname !== path;
      path = location.pathname;
      if (!isNew) return;
      clearAnnouncement();
      scrollTo(0, 0);
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) focusContent();
      });
    };
    const note = (): void => {
      path = location.pathname;
    };
    addEventListener(NEW_PAGE, change);
    for (const other of ['popstate', 'replaceState']) addEventListener(other, note);
    return () => {
      removeEventListener(NEW_PAGE, change);
      for (const other of ['popstate', 'replaceState']) removeEventListener(other, note);
    };
  }, []);
}
