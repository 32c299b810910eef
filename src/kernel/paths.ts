/** Paths of routes, from options of this library and of the application. */
export const trimSlashes = (path: string): string => path.replace(/^\/+|\/+$/g, '');

/** Joins parts without slashes at their ends to a path with a leading slash. Without parts it is empty. */
export const joinPath = (...parts: readonly string[]): string =>
  parts.map((part) => (part === '' ? '' : `/${part}`)).join('');
