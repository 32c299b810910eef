/**
 * Conversion of stored values that a changed attribute does not allow. `'fit'` converts to the nearest valid
 * value: rounded, cut, or the first of several. It refuses values without one. `'empty'` does the same, but
 * sets these to null. An object, for an `enumeration`, maps stored values to new ones.
 */
export type Conversion = 'fit' | 'empty' | Readonly<Record<string, string | null>>;
