/** Polymorphic links, for each kind of join that can have them. */
import { byKind } from '../../model/by-kind.js';
import type { LinkJoin } from '../../model/join-model.js';
import type { MorphAttribute } from '../../model/model.js';
import { alias, constant, quote, sql } from '../../../kernel/sql.js';
import { BETWEEN } from '../../plan/target-key.js';
import { targetColumns } from '../link-sql.js';
import { listOf } from '../json-list.js';
import { type Context, type JsonScope, rowOf, type Scope } from '../scope.js';
import { fileHolders } from '../file-holders.js';
import type { NamedLinks } from './join-sql.js';
import { linksOf } from './link.js';

interface LinksContext {
  readonly attribute: MorphAttribute;
  readonly scope: Scope;
  readonly context: Context;
}

/** Reads links from a component instance, where a link is one text of type and id. */
function inInstance({ attribute, scope, context }: LinksContext): NamedLinks {
  const link = alias('l', context.next());
  const stored = sql`${(scope as JsonScope).value}->${quote(attribute.name, 'string')}`;
  const between = constant(BETWEEN);
  return {
    from: sql`jsonb_array_elements_text(${listOf(stored)}) with ordinality ${link}(id, n)`,
    conditions: [],
    position: sql`${link}.n`,
    type: sql`split_part(${link}.id, ${between}, 1)`,
    documentId: sql`substr(${link}.id, strpos(${link}.id, ${between}) + 1)`,
  };
}

/** Reads links from a link table with a type column. */
function inTable(way: LinkJoin, { scope, context }: LinksContext): NamedLinks {
  const { link, ...links } = linksOf(way, rowOf(scope), context);
  const [documentId, type] = targetColumns(way.links).map(({ name }) => sql`${link}.${name}`);
  return { ...links, type: type ?? sql`null`, documentId: documentId ?? sql`null` };
}

export const namedLinksIn = byKind<MorphAttribute['join'], [LinksContext], NamedLinks>({
  link: inTable,
  embedded: (_, read) => inInstance(read),
  holders: (_, { attribute, scope, context }) => fileHolders(attribute.targets, rowOf(scope), context),
});
