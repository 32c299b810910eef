/** Descriptions of operations, from the model and the permissions of the caller. */
import type { Action } from '../access/actions.js';
import type { ContentType } from '../model/model.js';
import type { Handler } from '../model/routes.js';
import type { Describing } from './describing.js';
import { sentAttributes } from './inputs.js';
import { populatable } from './queries.js';
import type { View } from './view.js';

/** Sentence on the grant of an operation. */
export const needsGrant = (action: Action, subject: string): string =>
  `Needs the grant \`${action}\` on \`${subject}\`.`;

export const NEEDS_NO_GRANT = 'Needs no grant.';

interface Operation {
  readonly type: ContentType;
  readonly view: View;
  readonly action: Action;
  readonly storesDraft: boolean;
  readonly describing: Describing;
}

/** Longest list of names in a description. */
const MANY = 8;

const listNames = (names: readonly string[]): string =>
  [...names.slice(0, MANY).map((name) => `\`${name}\``), ...(names.length > MANY ? ['others'] : [])].join(
    ', ',
  );

function shows({ type, view }: Operation): string[] {
  const others = populatable(view).map(({ name }) => name);
  return [
    ...(type.draftAndPublish ? ['Shows published documents, unless `status` is `draft`.'] : []),
    ...(type.localized ? ['Shows the default locale, unless `locale` names another one.'] : []),
    ...(others.length > 0 ? [`\`populate\` adds ${listNames(others)}.`] : []),
  ];
}

function publishes({ type, storesDraft }: Operation): string[] {
  if (!type.draftAndPublish) return [];
  return storesDraft
    ? ['Stores a draft, because publishing is not granted.']
    : ['Publishes the document, unless `status` is `draft`.'];
}

const oneSentence = (sentence: string) => (): string[] => [sentence];

const SENTENCES: Readonly<Record<Handler, (operation: Operation) => readonly string[]>> = {
  find: (operation) => [
    operation.type.kind === 'singleType'
      ? 'Returns the document.'
      : 'Returns a page of documents, and their total.',
    ...shows(operation),
  ],
  findOne: (operation) => ['Returns one document.', ...shows(operation)],
  create: (operation) => {
    const required = sentAttributes(operation.type, 'create', operation.describing).filter(
      (one) => one.required,
    );
    return [
      'Creates a document.',
      ...publishes(operation),
      ...(required.length > 0 ? [`Required values: ${listNames(required.map(({ name }) => name))}.`] : []),
    ];
  },
  update: (operation) => [
    'Changes the attributes in the body, and keeps all others.',
    ...publishes(operation),
  ],
  delete: ({ type }) => [
    type.localized ? 'Deletes the document, or the locales that `locale` names.' : 'Deletes the document.',
  ],
  publish: oneSentence('Makes the draft the published version.'),
  unpublish: oneSentence('Removes the published version, and keeps the draft.'),
  discardDraft: oneSentence('Replaces the draft by the published version.'),
  findSchedule: oneSentence('Returns the times of the next publication and its end.'),
  schedule: oneSentence('Sets the times of the next publication and its end.'),
  unschedule: oneSentence('Removes both times.'),
  findTrash: oneSentence('Returns a page of deleted documents.'),
  findVersions: oneSentence('Returns the stored versions of a document, the latest first.'),
  findVersion: oneSentence('Returns one stored version of a document.'),
  compareVersion: oneSentence('Returns what a version changed, compared with the one before it.'),
  restoreVersion: oneSentence('Writes the values of a stored version into the document.'),
  restore: oneSentence('Brings a deleted document back.'),
  bulk: oneSentence('Writes a list of documents, or all documents that match a filter.'),
};

/** Returns the description of an operation on a type. */
export const describedBy = (handler: Handler, operation: Operation): string =>
  [...SENTENCES[handler](operation), needsGrant(operation.action, operation.type.singularApiId)].join(' ');
