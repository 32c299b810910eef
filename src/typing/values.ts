/** What bodies and filters may hold for each attribute type; what answers hold is `ScalarValues`. */
import type { BlockNode } from '../schema/definitions.js';

export interface Values {
  string: string;
  text: string;
  richtext: string;
  email: string;
  password: string;
  uid: string;
  enumeration: string;
  integer: number;
  biginteger: string | number;
  float: number;
  decimal: number;
  boolean: boolean;
  date: string;
  time: string;
  datetime: string | number | Date;
  timestamp: string | number | Date;
  json: unknown;
  array: readonly unknown[];
  blocks: readonly BlockNode[];
}
