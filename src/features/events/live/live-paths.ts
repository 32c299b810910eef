/** OpenAPI description of `/api/live` (protocol 21.16, 21.19). */
import { decide } from '../../../content/access/decide.js';
import type { Describe } from '../../../content/openapi/describing.js';
import {
  type Content,
  type JsonSchema,
  type Operation,
  type Parameter,
  TEXT,
} from '../../../content/openapi/document.js';
import { ALWAYS, errorAnswers, ON_DOCUMENT } from '../../../content/openapi/error-answers.js';
import { isStreamed } from './visible-events.js';

const STREAM: Content = { 'text/event-stream': { schema: TEXT } };

const LAST_ID: Parameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Id of the last event that the client has received: the stream continues after it.',
  schema: TEXT,
};

const QUERY: readonly (readonly [string, string, JsonSchema])[] = [
  ['filters', 'Filters of the documents, as in a list.', { type: 'object', additionalProperties: true }],
  ['status', 'Drafts instead of published documents.', { type: 'string', enum: ['published', 'draft'] }],
  ['locale', 'Locale of the documents; `*` for all.', TEXT],
];

const queryParameter = ([name, description, schema]: (typeof QUERY)[number]): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
  ...(name === 'filters' ? { style: 'deepObject', explode: true } : {}),
});

/** Describes the streams that a caller can open. */
export const livePaths: Describe = ({ base, caller, schema, components }) => {
  const types = [...schema.types.values()].filter(
    (type) => isStreamed(type) && decide(caller, type, 'find') !== 'none',
  );
  const operation = (
    of: Pick<Operation, 'operationId' | 'summary' | 'description' | 'parameters'>,
  ): Operation => ({
    ...of,
    tags: ['live'],
    responses: {
      200: { description: 'Server-sent events.', content: STREAM },
      ...errorAnswers([...ALWAYS, ...(of.parameters?.length === 1 ? [] : ON_DOCUMENT)], components),
    },
  });
  const stale = operation({
    operationId: 'Live_tags',
    summary: 'Stream the tags of changed content',
    description: 'Needs no grant. The tags are those of the header `Content-Tags`.',
    parameters: [LAST_ID],
  });
  const paths = { [`${base}/live`]: { get: stale } };
  if (types.length === 0) return paths;
  const type: Parameter = {
    name: 'type',
    in: 'path',
    required: true,
    description: 'Path of the type.',
    schema: { type: 'string', enum: types.map(({ route }) => route) },
  };
  const events = operation({
    operationId: 'Live_events',
    summary: 'Stream the events of the documents of a type',
    description: 'Needs the grant `find` on the type.',
    parameters: [type, ...QUERY.map(queryParameter), LAST_ID],
  });
  return { ...paths, [`${base}/live/{type}`]: { get: events } };
};
