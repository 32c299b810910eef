/** What bodies and filters may hold for each attribute type; what answers hold is {@link ScalarValues}. */
import type { BlockNode, ScalarValues } from '../schema/definitions.js';

/** The types of which they may hold more than answers do. */
interface Wider {
  biginteger: string | number;
  datetime: string | number | Date;
  timestamp: string | number | Date;
  array: readonly unknown[];
  blocks: readonly BlockNode[];
}

export interface Values extends Omit<ScalarValues, keyof Wider>, Wider {}
