/**
 * Check of a value of an attribute. Returns a message to refuse it, which must not contain the value. It is
 * not called for null and in drafts.
 */
export type ValueCheck<V> = (value: V) => string | null | undefined;

/**
 * Check of the values of a published version, stored ones included: all but relations and passwords. Returns
 * messages by attribute, or one for the document, to refuse it. Messages must contain no values.
 */
export type DocumentCheck = (
  values: Readonly<Record<string, unknown>>,
) => Readonly<Record<string, string>> | string | null | undefined;
