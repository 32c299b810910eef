/** Appends to the event log: one event per action, in the transaction of the write. */
import type { PlannedWrite, WriteAddition } from '../../content/documents/write-additions.js';
import type { Schema } from '../../content/model/model.js';
import type { WriteEvent, WritePlan } from '../../content/plan/write-plan.js';
import { fill } from '../../kernel/sql.js';
import { compileLog } from './compile-events.js';

/** Returns the names of the attributes that the steps of a write assign, sorted. */
function assigned({ steps }: PlannedWrite): readonly string[] {
  const names = steps.flatMap((step) =>
    step.kind === 'rows'
      ? [
          ...[...step.values.keys()].map(({ name }) => name),
          ...step.links.changes.map(({ attribute }) => attribute.name),
        ]
      : [],
  );
  return [...new Set(names)].sort();
}

const localeOf = ({ target }: WritePlan): string =>
  target.everyLocale || !target.type.localized ? '' : target.locale;

/** Returns the actions of a write: an update of a locale without a version creates it (protocol 21.4). */
function actionsOf({ plan, steps }: PlannedWrite): readonly WriteEvent[] {
  const creates = steps.some((step) => step.kind === 'rows' && step.row === null);
  return plan.events.map((event) => (creates && event === 'update' ? 'create' : event));
}

/** Whether an action changes published content: deletions and unpublications only of published versions. */
function changesPublished({ plan: { target }, versions }: PlannedWrite, action: WriteEvent): boolean {
  if (!target.type.draftAndPublish || action === 'publish') return true;
  if (action !== 'delete' && action !== 'unpublish') return false;
  return versions.all.some(
    ({ published, locale }) => published && (target.everyLocale || locale === target.locale),
  );
}

/** Returns the addition that logs every write of types with `events`. */
export function logWrites({ file }: Schema): WriteAddition {
  const statement = compileLog(file);
  return (write) => {
    const { plan, documentId } = write;
    const { type } = plan.target;
    if (documentId === null || !type.events || plan.events.length === 0) return [];
    const { kind, id } = plan.caller;
    const actions = actionsOf(write);
    const event = {
      type: type.singularApiId,
      documentId,
      locale: localeOf(plan),
      actions,
      published: actions.map((action) => String(changesPublished(write, action))),
      actor: kind,
      actorId: id,
      requestId: plan.requestId,
      attributes: assigned(write),
    };
    return [{ ...fill(statement, event), silent: true }];
  };
}
