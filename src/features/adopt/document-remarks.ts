/** Remarks about the rows of documents. */
const SHARED_BY_ALL = 'differ from those of the default locale, in an attribute that all locales share';

export const REMARKS = {
  differentValues: `Values that ${SHARED_BY_ALL}`,
  differentLinks: `Links that ${SHARED_BY_ALL}`,
  addTarget: ': list its types in "targets", and run the command with --on-conflict replace',
  addLocale: 'add it, and run the command with --on-conflict replace',
  newId: 'Rows without an id of their own, or with one that is too large: they get another row id',
  noTime: 'Times that cannot be read: they become another time of the row, or that of the archive',
  formerAddress:
    'Texts with the address of a file on the former server: they keep it. ' +
    'Replace its host before you switch it off',
  noDraft: 'Published rows without a draft: they get an equal draft',
  ofOtherDraft:
    'Links of published rows without a draft to targets that belong to the draft of another document: ' +
    'only the published version has them',
  secondRow: 'Rows of the same state and locale as another row of the document',
  unknownLink: 'Links of an attribute that the model does not have',
  unknownValue: 'Values of an attribute that the model does not have',
  password: 'Passwords outside of users are not moved',
} as const;
