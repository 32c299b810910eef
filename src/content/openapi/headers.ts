/** Headers that options switch on. */
import { MARK_HEADER } from '../query/mark.js';
import type { Describing } from './describing.js';
import { type Operation, type Paths, type Response, TEXT } from './document.js';

type Headers = NonNullable<Response['headers']>;

const POSITION_HEADERS: Headers = {
  [MARK_HEADER]: {
    description:
      'Position of the database. A read that sends it sees at least what this response reports, on replicas too.',
    schema: TEXT,
  },
};
const TIMING_HEADERS: Headers = {
  'Server-Timing': { description: 'Time per processing step, in milliseconds.', schema: TEXT },
};

/** Header of responses with timings. */
export const timingHeaders = ({ settings }: Pick<Describing, 'settings'>): Headers =>
  settings.serverTiming ? TIMING_HEADERS : {};

/** Header of responses that report a position. */
export const markedBy = ({ replicas }: Pick<Describing, 'replicas'>): Headers =>
  replicas ? POSITION_HEADERS : {};

const isSuccess = (status: string): boolean => status.startsWith('2');

const withPosition = (operation: Operation): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, one]) => [
      status,
      isSuccess(status) && !('$ref' in one)
        ? { ...one, headers: { ...one.headers, ...POSITION_HEADERS } }
        : one,
    ]),
  ),
});

/** Whether an operation accepts a position, as all reads of content do. */
const acceptsPosition = ({ parameters = [] }: Operation): boolean =>
  parameters.some((one) => '$ref' in one && one.$ref.endsWith('/position'));

/** Adds the position header to all writes and content reads, if there are replicas. */
export function withPositions(paths: Paths, { replicas }: Pick<Describing, 'replicas'>): Paths {
  if (!replicas) return paths;
  const operations = (of: Paths[string]): Paths[string] =>
    Object.fromEntries(
      Object.entries(of).map(([method, one]) => [
        method,
        method !== 'get' || acceptsPosition(one) ? withPosition(one) : one,
      ]),
    );
  return Object.fromEntries(Object.entries(paths).map(([path, of]) => [path, operations(of)]));
}
