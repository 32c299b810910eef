/** Actions that grants name. */
import { AUDIT_GRANT, DESK_GRANT, MODEL_GRANT, RELEASES_GRANT } from '../model/naming.js';

/**
 * Actions on a content type. `readDrafts` is granted in addition to `find` or `findOne` (D17), `move` in
 * addition to `create` or `update`.
 */
export const ACTIONS = [
  'find',
  'findOne',
  'create',
  'update',
  'delete',
  'readDrafts',
  'publish',
  'move',
] as const;

export type Action = (typeof ACTIONS)[number] | 'open';

/** Subject of grants to move documents of a type to one stage. No API id contains a space. */
export const stageSubject = (type: string, stage: string): string => `${type} ${stage}`;

/** Ending of the subjects of grants that cover all tenants. */
const ACROSS = ' *';

/** Subject of grants on the documents of all tenants, until {@link Tenants} limits all others. */
export const acrossSubject = (subject: string): string => `${subject}${ACROSS}`;

/** Returns the subject of a grant that covers all tenants without this fact; null for other grants. */
export const withinAcross = (subject: string): string | null =>
  subject.endsWith(ACROSS) ? subject.slice(0, -ACROSS.length) : null;

/** Returns the type of a subject, which may name one of its stages. */
export const typeOfSubject = (subject: string): string => subject.split(' ', 1)[0] ?? subject;

/** Subject of grants on every type. */
export const EVERY = '*';

/**
 * Returns the subjects whose grants cover a subject: every type, and all stages of the type for one stage. A
 * grant on every type does not reach across tenants.
 */
export function widerSubjects(subject: string): readonly string[] {
  const within = withinAcross(subject);
  if (within === null) return [EVERY, typeOfSubject(subject)].filter((wider) => wider !== subject);
  return [acrossSubject(typeOfSubject(within))].filter((wider) => wider !== subject);
}

/** Subjects that can only be opened. */
const OPEN_ONLY_SUBJECTS: readonly string[] = [DESK_GRANT, AUDIT_GRANT, RELEASES_GRANT];

/** Subjects of grants that are not content types: locales, the model, and those that can only be opened. */
export const OTHER_SUBJECTS: readonly string[] = ['locale', MODEL_GRANT, ...OPEN_ONLY_SUBJECTS];

/** Actions on a type, on every type, or on the desk, which can only be opened. */
export const actionsOn = (subject: string): readonly Action[] => {
  if (OPEN_ONLY_SUBJECTS.includes(subject)) return ['open'];
  return subject === EVERY ? [...ACTIONS, 'open'] : ACTIONS;
};
