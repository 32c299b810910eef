/** Headers that are there only where the host has switched on what they are about. */
import { MARK_HEADER } from '../query/mark.js';
import type { Describing } from './describing.js';
import type { JsonSchema, Operation, Paths, Response } from './document.js';

type Headers = NonNullable<Response['headers']>;

const TEXT: JsonSchema = { type: 'string' };

/** A mark, or several of which the latest counts. */
export const MARKS: JsonSchema = { type: 'string', pattern: '^ *[0-9a-f]{16}( *, *[0-9a-f]{16})* *$' };

const MARKED: Headers = {
  [MARK_HEADER]: {
    description:
      'How far the database has written. A read that sends it is shown this write, by replicas too.',
    schema: { type: 'string', pattern: '^[0-9a-f]{16}$' },
  },
};
const TIMED: Headers = {
  'Server-Timing': { description: 'What the answer took, in milliseconds, by its parts.', schema: TEXT },
};

/** What content that is shown or done says of the time that it took. */
export const timed = ({ settings }: Pick<Describing, 'settings'>): Headers =>
  settings.serverTiming ? TIMED : {};

const isDone = (status: string): boolean => status.startsWith('2');

/** An operation whose answers say a position, once it is done. */
const marked = (operation: Operation): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, one]) => [
      status,
      isDone(status) && !('$ref' in one) ? { ...one, headers: { ...one.headers, ...MARKED } } : one,
    ]),
  ),
});

/** All paths, where whatever writes says where replicas have to be to show it, if there are replicas. */
export function withPositions(paths: Paths, { replicas }: Pick<Describing, 'replicas'>): Paths {
  if (!replicas) return paths;
  const operations = (of: Paths[string]): Paths[string] =>
    Object.fromEntries(
      Object.entries(of).map(([method, one]) => [method, method === 'get' ? one : marked(one)]),
    );
  return Object.fromEntries(Object.entries(paths).map(([path, of]) => [path, operations(of)]));
}
