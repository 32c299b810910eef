/** Triggers of the tables with content, which write the change log. */
import { compileTrigger } from '../compile/compile-triggers.js';
import { type NotedTable, TRIGGERS } from '../model/change-log-tables.js';

type Property = Readonly<Record<string, unknown>>;

/** Returns triggers for MikroORM, which does not compare their statements. */
export const triggerEntries = (noted: NotedTable): Property[] =>
  (['insert', 'update', 'delete'] as const).map((event) => ({
    name: TRIGGERS[event],
    timing: 'after',
    events: [event],
    forEach: 'statement',
    expression: compileTrigger(noted, event),
  }));
