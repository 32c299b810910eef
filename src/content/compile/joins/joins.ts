import type { Join } from '../../model/join-model.js';
import { columnJoin } from './column.js';
import { embeddedJoin } from './embedded.js';
import { holdersJoin } from './holders.js';
import { inverseColumnJoin } from './inverse-column.js';
import { inverseLinkJoin } from './inverse-link.js';
import type { JoinSql } from './join-sql.js';
import { linkJoin } from './link.js';
import { localesJoin } from './locales.js';

const JOINS: { readonly [K in Join['kind']]: JoinSql<Extract<Join, { readonly kind: K }>> } = {
  column: columnJoin,
  inverseColumn: inverseColumnJoin,
  link: linkJoin,
  inverseLink: inverseLinkJoin,
  embedded: embeddedJoin,
  locales: localesJoin,
  holders: holdersJoin,
};

export const joinSql = ({ kind }: Join): JoinSql => JOINS[kind];
