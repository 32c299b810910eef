const documents = (count: number): string => (count === 1 ? '1 document' : `${count} documents`);

/** English texts of actions on many documents. */
export const bulk = {
  selected: (count: number) => `${documents(count)} selected`,
  selectMatching: (count: number) => `Select all ${count} that match`,
  matching: 'All matching documents selected',
  clear: 'Clear the selection',
  publish: {
    ask: (count: number) => `Publish ${documents(count)}?`,
    hint: 'Readers will see the drafts as they are now.',
    done: (count: number) => `Published: ${documents(count)}`,
  },
  unpublish: {
    ask: (count: number) => `Unpublish ${documents(count)}?`,
    hint: 'Readers will no longer see them. The drafts stay.',
    done: (count: number) => `Unpublished: ${documents(count)}`,
  },
  delete: {
    ask: (count: number) => `Delete ${documents(count)}?`,
    hint: 'Links to them are removed as well. This cannot be undone.',
    toTrash: 'Links to them are removed. You can restore the documents from the trash.',
    done: (count: number) => `Deleted: ${documents(count)}`,
  },
  everyLocale: 'All languages are affected.',
  inLocale: (locale: string) => `Only ${locale} is affected.`,
  checking: 'Looking for changes by other editors',
  changed: 'changed since you opened the list',
  deleted: 'deleted since you opened the list',
  absent: 'has no version in this language',
  without: (fields: string) => `without required fields: ${fields}`,
  more: (count: number) => `and ${count} more`,
  failed: (count: number) => `${documents(count)} refused:`,
  conflict: 'Another editor has just changed it. Open it to see the change.',
  lost: 'The server did not respond. The list shows what is stored now.',
  tooMany: 'These are too many documents at once. Narrow the list with a filter.',
  nothing: 'No matching documents in this language.',
};
