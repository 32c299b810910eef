/** Schemas of responses that show no document: schedules, and stored versions. */
import { TIME_OF } from '../model/schedule.js';
import type { Describing } from './describing.js';
import { anyOf, type JsonSchema, list, NULL, open, TEXT } from './document.js';

/** A stored version, a list of them, or of their differences. */
export const HISTORY: JsonSchema = anyOf(list({ type: 'object' }), { type: 'object' });

const DUE = { anyOf: [{ type: 'string', format: 'date-time' }, NULL] };

export function scheduleSchema({ components }: Describing): JsonSchema {
  const failure = open({ action: TEXT, at: TEXT, message: TEXT }, ['action', 'at', 'message']);
  const times = Object.fromEntries(Object.values(TIME_OF).map((name) => [name, DUE]));
  return components.ref('schemas', { key: 'a schedule', name: 'Schedule' }, () =>
    open({ documentId: TEXT, locale: TEXT, ...times, failures: list(failure) }, [
      'documentId',
      'locale',
      ...Object.keys(times),
      'failures',
    ]),
  );
}
