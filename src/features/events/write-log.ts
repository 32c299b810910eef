/** Appends to the event log: one event per action, in the transaction of the write. */
import { assignedBy, writtenActionsOf, writtenLocaleOf } from '../../content/documents/logged-write.js';
import type { PlannedWrite, WriteAddition } from '../../content/documents/write-additions.js';
import type { Schema } from '../../content/model/model.js';
import type { WriteEvent } from '../../content/plan/write-plan.js';
import { fill, silently } from '../../kernel/sql.js';
import { compileLog } from './compile-events.js';

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
    const actions = writtenActionsOf(write);
    const event = {
      type: type.singularApiId,
      documentId,
      locale: writtenLocaleOf(plan),
      actions,
      published: actions.map((action) => String(changesPublished(write, action))),
      actor: kind,
      actorId: id,
      requestId: plan.requestId,
      attributes: assignedBy(write).map(({ name }) => name),
    };
    return [silently(fill(statement, event))];
  };
}
