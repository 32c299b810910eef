/** The leaves of a settled document: one scalar or one relation, from what is given and what is stored. */
import type { Issue } from '../errors.js';
import { type Place, sentPlace, storedPlace, untoldPlace } from '../schema/place.js';
import type {
  Attribute,
  Component,
  EmbeddedAttribute,
  RelationAttribute,
  ScalarAttribute,
} from '../schema/model.js';
import type { Body } from './body.js';
import type { GivenRelation, GivenValues } from './given.js';
import { isHidden, type Telling } from './rights.js';
import { type LinkResolver, settleList, storedList } from './settle-list.js';
import type { Stored } from './stored-instances.js';

/** A step into an instance, on the way from the document to a value. */
export interface Step {
  readonly attribute: EmbeddedAttribute;
  readonly component: Component;
  /** The step before; null in the document itself. */
  readonly outer: Step | null;
}

/** A value inside components that no other document may have. */
export interface UniqueValue {
  readonly within: Step;
  readonly attribute: ScalarAttribute;
  readonly value: unknown;
  /** Where it stands; a problem shows what the request carried. */
  readonly to: Place;
}

export interface SettleContext {
  /** Drafts may be incomplete; what is published may not (protocol 8.11). */
  readonly draft: boolean;
  /** In types with drafts a missing value is the draft's null; elsewhere it is undefined (protocol 8.12). */
  readonly missingIsNull: boolean;
  /** Whether attributes that the body leaves out are checked too: on create and on publish. */
  readonly complete: boolean;
  /** Whether required relations and media may not be empty (protocol 11.36). */
  readonly strictRelations: boolean;
  readonly issues: Issue[];
  /** Filled with the values inside components that have to be unique. */
  readonly uniques: UniqueValue[];
  readonly newInstance: () => { readonly id: number; readonly documentId: string };
  readonly hash: (password: string) => string;
  readonly resolver: (given: GivenRelation, stored: readonly string[]) => LinkResolver;
  readonly telling: Body['telling'];
  readonly isSent: Body['isSent'];
}

/** Where a value stands: what the body gives there, and what is stored. */
export interface Scope {
  readonly path: readonly string[];
  /** The instance that it stands in; null for the document itself. */
  readonly within: Step | null;
  readonly given: GivenValues;
  /** The stored values; null for a new document or instance. */
  readonly stored: Stored | null;
  /** Stored values of any version, where ids of component instances may come from (D18). */
  readonly versions: readonly Stored[];
  /** Inside components: what holds for the whole that this is part of. */
  readonly part?: Part;
}

/** What an error may tell of a value, and whether it is the caller's own. */
export interface Part {
  readonly telling: Telling;
  readonly sent: boolean;
}

/** At the root by the caller's rights, below it like the whole that it is part of. */
export const partOf = (attribute: Attribute, { part }: Scope, context: SettleContext): Part =>
  part ?? { telling: context.telling(attribute), sent: context.isSent(attribute) };

/** A value: what the body gives for an attribute, or what it does not; or one entry of it. */
interface Spot {
  readonly from: 'body' | 'stored';
  readonly attribute: Attribute;
  readonly entry?: string;
}

export function at({ from, attribute, entry }: Spot, scope: Scope, context: SettleContext): Place {
  const { telling, sent } = partOf(attribute, scope, context);
  const path = [...scope.path, attribute.name];
  if (entry !== undefined) path.push(entry);
  const where = { path, draft: context.draft, issues: context.issues };
  if (telling === 'nothing' || (telling === 'shown' && isHidden(attribute))) return untoldPlace(where);
  return from === 'body' && sent ? sentPlace(where) : storedPlace(where);
}

/** What is not there; `label` names its type in the message about null. */
interface Missing {
  readonly value: null | undefined;
  readonly label: string;
}

/** Reports a required value that is not there. */
export function reportMissing(to: Place, { value, label }: Missing, context: SettleContext): void {
  if (context.draft) return;
  if (value === null || context.missingIsNull) to.reportNull(label);
  else to.report(`${to.label} must be defined.`);
}

/** A value that is to be stored, and where it stands. */
interface Candidate {
  readonly attribute: ScalarAttribute;
  readonly raw: unknown;
  readonly to: Place;
}

/** A value as it is stored. Those inside components that have to be unique are noted. */
function accepted({ attribute, raw, to }: Candidate, scope: Scope, context: SettleContext): unknown {
  if (raw === undefined || raw === null) {
    if (attribute.required) reportMissing(to, { value: raw, label: attribute.type.label }, context);
    return null;
  }
  const value = attribute.type.accept(raw, attribute.def, to) ?? null;
  const { within } = scope;
  const counts = attribute.def.unique === true && within !== null && !context.draft;
  if (counts && value !== null && value !== '') context.uniques.push({ within, attribute, value, to });
  return value;
}

/** A scalar's new value; undefined where the stored one stays. */
export function settleScalar(attribute: ScalarAttribute, scope: Scope, context: SettleContext): unknown {
  const given = scope.given.scalars.get(attribute.name);
  if (given !== undefined) {
    const to = at({ from: 'body', attribute }, scope, context);
    const value = accepted({ attribute, raw: given.raw, to }, scope, context);
    return attribute.def.type === 'password' && typeof value === 'string' ? context.hash(value) : value;
  }
  const to = at({ from: 'stored', attribute }, scope, context);
  // A uid that is made from another attribute may be left out.
  if (scope.stored === null && attribute.def.generate === true) return null;
  if (scope.stored === null) return accepted({ attribute, raw: attribute.def.default, to }, scope, context);
  // A stored password is a hash, which says nothing about the rules for passwords.
  const stored = scope.stored[attribute.name] ?? (context.missingIsNull ? null : undefined);
  const isHash = attribute.def.type === 'password' && typeof stored === 'string';
  if (context.complete && !isHash) accepted({ attribute, raw: stored, to }, scope, context);
  return undefined;
}

/** A relation's new list; undefined where the stored one stays. */
export function settleRelation(
  attribute: RelationAttribute,
  scope: Scope,
  context: SettleContext,
): readonly string[] | undefined {
  const asked = scope.given.relations.get(attribute.name);
  const stored = storedList(scope.stored, attribute);
  const list =
    asked === undefined || asked.input.kind === 'keep'
      ? undefined
      : settleList({
          given: asked,
          stored,
          resolver: context.resolver(asked, stored),
          path: [...scope.path, attribute.name],
          sent: partOf(attribute, scope, context).sent,
        });
  const judged = context.strictRelations && (context.complete || asked !== undefined);
  if (judged && attribute.required && (list ?? stored).length === 0) {
    const to = at({ from: asked === undefined ? 'stored' : 'body', attribute }, scope, context);
    reportMissing(to, { value: undefined, label: '' }, { ...context, missingIsNull: false });
  }
  return list;
}
