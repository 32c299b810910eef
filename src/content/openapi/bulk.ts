/** Schemas of bulk writes (protocol section 24). */
import { keysOf } from '../../kernel/json.js';
import { decide } from '../access/decide.js';
import type { ContentType } from '../model/model.js';
import { HANDLERS, isServed } from '../model/routes.js';
import { BULK_ACTIONS, type BulkAction } from '../query/parse-bulk.js';
import type { Describing } from './describing.js';
import { anyOf, closedObject, type JsonSchema, list, NULL, open, TEXT } from './document.js';
import { writeData } from './inputs.js';

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };

/** Actions that the type has routes for, and that the caller may do. */
export const bulkActionsOf = (type: ContentType, { caller }: Describing): BulkAction[] =>
  keysOf(BULK_ACTIONS).filter((name) => {
    const handler = BULK_ACTIONS[name];
    return isServed(handler, type) && decide(caller, type, HANDLERS[handler].action) !== 'none';
  });

/** Items of one action: they differ in their members. */
function itemOf(type: ContentType, action: BulkAction, describing: Describing): JsonSchema {
  const of = { action: { const: action }, locale: TEXT, status: TEXT };
  if (action === 'create')
    return closedObject({ ...of, data: writeData(type, action, describing) }, ['action', 'data']);
  const stored = { ...of, documentId: TEXT, ifMatch: TEXT };
  if (action === 'update')
    return closedObject({ ...stored, data: writeData(type, action, describing) }, [
      'action',
      'documentId',
      'data',
    ]);
  return closedObject(stored, ['action', 'documentId']);
}

function selectionOf(type: ContentType, actions: readonly BulkAction[], describing: Describing): JsonSchema {
  const members = {
    action: { type: 'string', enum: actions },
    filters: { type: 'object', additionalProperties: true },
    _q: TEXT,
    locale: TEXT,
    status: TEXT,
    limit: { type: 'integer', minimum: 1, maximum: describing.settings.limits.bulkItems },
    dryRun: { type: 'boolean' },
  };
  return closedObject(
    actions.includes('update') ? { ...members, data: writeData(type, 'update', describing) } : members,
    ['action'],
  );
}

/** Body of a bulk write: items, or one action on every document that matches. */
export function bulkBody(type: ContentType, describing: Describing): JsonSchema {
  const actions = bulkActionsOf(type, describing);
  const selecting = actions.filter((action) => action !== 'create');
  const items = list(anyOf(...actions.map((action) => itemOf(type, action, describing))));
  const selects = selecting.length > 0 && decide(describing.caller, type, 'find') !== 'none';
  const data = selects ? anyOf(items, selectionOf(type, selecting, describing)) : items;
  return closedObject({ data, atomic: { type: 'boolean' } }, ['data']);
}

const FAILURE = open(
  {
    index: COUNT,
    documentId: anyOf(TEXT, NULL),
    error: open({ status: COUNT, name: TEXT, message: TEXT, details: { type: 'object' } }, [
      'status',
      'name',
      'message',
      'details',
    ]),
  },
  ['index', 'documentId', 'error'],
);

/** Metadata of the response to a bulk write. */
export const BULK_META: JsonSchema = {
  ...open({ done: COUNT, failed: COUNT, errors: list(FAILURE), matched: COUNT }, []),
  additionalProperties: true,
};
