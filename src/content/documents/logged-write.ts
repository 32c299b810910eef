/** Writes as logs describe them. */
import { isAuthor } from '../model/authors.js';
import type { Attribute } from '../model/model.js';
import type { WriteEvent, WritePlan } from '../plan/write-plan.js';
import type { PlannedWrite } from './write-additions.js';

/** Returns the attributes that the steps of a write assign, authors aside, in the order of their names. */
export function assignedBy({ steps }: Pick<PlannedWrite, 'steps'>): readonly Attribute[] {
  const all = steps.flatMap((step) =>
    step.kind === 'rows'
      ? [
          ...[...step.values.keys()].filter((attribute) => !isAuthor(attribute)),
          ...step.links.changes.map(({ attribute }): Attribute => attribute),
        ]
      : [],
  );
  const byName = new Map<string, Attribute>(all.map((attribute) => [attribute.name, attribute]));
  return [...byName.keys()].sort().flatMap((name) => byName.get(name) ?? []);
}

/** Returns the id of the document that a write creates or changes; null if there is none. */
export const writtenDocumentOf = ({ documentId, versions }: PlannedWrite): string | null =>
  documentId ?? versions.documentId;

/** Returns the locale of a write: empty if it writes all locales, or the type has none. */
export const writtenLocaleOf = ({ target }: WritePlan): string =>
  target.everyLocale || !target.type.localized ? '' : target.locale;

/** Returns the actions of a write: an update of a locale without a version creates it (protocol 21.4). */
export function writtenActionsOf({
  plan,
  steps,
}: Pick<PlannedWrite, 'plan' | 'steps'>): readonly WriteEvent[] {
  const creates = steps.some((step) => step.kind === 'rows' && step.row === null);
  return plan.events.map((event) => (creates && event === 'update' ? 'create' : event));
}
