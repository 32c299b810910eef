/** Parameters of a list that shows whether a document matches filters. */

/** Returns filters that only this document can match. */
export const onlyDocument = (documentId: string, filters: unknown): object => ({
  $and: [{ documentId: { $eq: documentId } }, ...(filters === undefined ? [] : [filters])],
});

export const ONE_DOCUMENT = Object.freeze({ page: 1, pageSize: 1, withCount: false });
