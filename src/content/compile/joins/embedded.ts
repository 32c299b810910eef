import type { EmbeddedJoin } from '../../model/join-model.js';
import { alias, quote, sql } from '../../../kernel/sql.js';
import { listOf } from '../json-list.js';
import { column, type JsonScope } from '../scope.js';
import { type JoinSql, type LinkedRows, NOTHING_STORED, type ReadStep, tableOf } from './join-sql.js';
import { lookUp } from './look-up.js';

function targets({ from: instance, attribute, target, context, version }: ReadStep): LinkedRows {
  const documentId = column(target, 'document_id');
  const stored = sql`${(instance as JsonScope).value}->${quote(attribute.name, 'string')}`;
  if (!attribute.many) {
    const only = sql`${documentId} = (${listOf(stored)}->>0)`;
    return { from: tableOf(target), conditions: [only], position: null };
  }
  const link = alias('l', context.next());
  const list = sql`jsonb_array_elements_text(${listOf(stored)}) with ordinality ${link}(id, n)`;
  const from = sql`${list} ${lookUp(target, sql`${documentId} = ${link}.id`, version)}`;
  return { from, conditions: [], position: sql`${link}.n` };
}

/** Relation inside a component: the JSON instance stores the targets' document ids. */
export const embeddedJoin: JoinSql<EmbeddedJoin> = {
  ...NOTHING_STORED,
  versioned: true,
  isLookedUp: ({ many }) => many,
  isJoined: ({ many }) => !many,
  targets: (_, step) => targets(step),
};
