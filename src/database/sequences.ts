import type { ContentType } from '../schema/model.js';
import { inSchema, parted } from '../schema/naming.js';
import { type Identifier, identifier } from '../sql.js';

/**
 * Component instances live inside their owner's row, so their ids come from a sequence of their own. MikroORM
 * creates sequences with tables only: this one stays empty, and lends its sequence.
 */
const COMPONENT_SEQUENCE_TABLE = 'content_component_ids';

/** The same name, for statements about a type. */
export const componentSequence = ({ table }: Pick<ContentType, 'table'>): Identifier =>
  inSchema(parted(table).schema, identifier(COMPONENT_SEQUENCE_TABLE));
