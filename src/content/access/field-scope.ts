/** Attributes that an action is granted on; null for all. */
export type FieldScope = ReadonlySet<string> | null;

export const NO_FIELDS: FieldScope = new Set();

export const union = (a: FieldScope, b: FieldScope): FieldScope =>
  a === null || b === null ? null : new Set([...a, ...b]);

export const intersection = (a: FieldScope, b: FieldScope): FieldScope => {
  if (a === null || b === null) return a ?? b;
  return new Set([...a].filter((name) => b.has(name)));
};

export const isWithin = (part: FieldScope, whole: FieldScope): boolean =>
  whole === null || (part !== null && [...part].every((name) => whole.has(name)));

export const fieldsText = (fields: FieldScope): string[] | null =>
  fields === null ? null : [...fields].sort();
