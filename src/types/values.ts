/** Types of values in bodies and filters, by attribute type; {@link ScalarValues} has those in responses. */
import type { BlockNode, ScalarValues } from '../content/model/definitions.js';

interface Wider {
  biginteger: string | number;
  datetime: string | number | Date;
  timestamp: string | number | Date;
  array: readonly unknown[];
  blocks: readonly BlockNode[];
}

export interface Values extends Omit<ScalarValues, keyof Wider>, Wider {}
