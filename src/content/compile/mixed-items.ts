/** Items of an attribute with several types: instances of a dynamic zone, or polymorphic links. */
import type { MixedAttribute } from '../plan/plan.js';
import { byKind } from '../model/by-kind.js';
import type { Component, ContentType, Model, MorphAttribute, ZoneAttribute } from '../model/model.js';
import { COMPONENT, TYPE, typeUid } from '../model/naming.js';
import { alias, constant, type Identifier, quote, type Sql, sql } from '../../kernel/sql.js';
import { namedLinksIn } from './joins/named-links.js';
import { listOf } from './json-list.js';
import { column, type Context, nestedJson, rowOf, rowScope, type Scope, versionConditions } from './scope.js';

interface ItemBranch {
  readonly name: Sql;
  readonly label: Sql;
  /** FROM clause that adds the item; empty if the scope already contains it. */
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  readonly scope: Scope;
}

/** Items in their stored order. */
export interface MixedItems {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  readonly position: Sql;
  readonly kind: Sql;
  readonly key: Identifier;
  readonly ofKind: (kind: Model) => ItemBranch;
}

function inZone(attribute: ZoneAttribute, scope: Scope, context: Context): MixedItems {
  const instance = alias('c', context.next());
  const value = sql`${instance}.v`;
  return {
    from: sql`jsonb_array_elements(${listOf(nestedJson(scope, attribute))}) with ordinality ${instance}(v, n)`,
    conditions: [],
    position: sql`${instance}.n`,
    kind: sql`${value}->>${quote(COMPONENT, 'string')}`,
    key: COMPONENT,
    ofKind: (kind) => {
      const component = kind as Component;
      const name = quote(component.uid, 'string');
      const inside = { kind: 'json', component, value, row: rowOf(scope) } as const;
      return { name, label: name, from: sql``, conditions: [], scope: inside };
    },
  };
}

function inLinks(attribute: MorphAttribute, scope: Scope, context: Context): MixedItems {
  const { type: named, documentId, ...links } = namedLinksIn(attribute.join, { attribute, scope, context });
  return {
    ...links,
    kind: named,
    key: TYPE,
    ofKind: (kind) => {
      const type = kind as ContentType;
      const target = rowScope(type, alias('t', context.next()));
      return {
        name: constant(type.singularApiId),
        label: constant(typeUid(type)),
        from: sql` from ${quote(type.table)} ${target.alias}`,
        conditions: [
          sql`${column(target, 'document_id')} = ${documentId}`,
          ...versionConditions(target, rowOf(scope), context),
        ],
        scope: target,
      };
    },
  };
}

export const mixedItems = byKind<MixedAttribute, [Scope, Context], MixedItems>({
  zone: inZone,
  morph: inLinks,
});
