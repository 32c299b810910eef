/** Headers of content that are there only where the host has switched on what they are about. */
import { MARK_HEADER } from '../query/mark.js';
import type { Describing } from './describing.js';
import type { JsonSchema, Response } from './document.js';

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

/** What a write that is done says of the time when it was, where there are replicas. */
export const marked = ({ replicas }: Pick<Describing, 'replicas'>): Headers => (replicas ? MARKED : {});

/** What content that is shown or done says of the time that it took. */
export const timed = ({ settings }: Pick<Describing, 'settings'>): Headers =>
  settings.serverTiming ? TIMED : {};
