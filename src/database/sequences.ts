import { identifier } from '../sql.js';

/**
 * Component instances live inside their owner's row, so their ids come from a sequence of their own. MikroORM
 * creates sequences with tables only: this one stays empty, and lends its sequence.
 */
export const COMPONENT_SEQUENCE_TABLE = 'content_component_ids';

/** The same name, for statements. */
export const COMPONENT_SEQUENCE = identifier(COMPONENT_SEQUENCE_TABLE);
