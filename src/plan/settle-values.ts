/** The leaves of a settled document: one scalar or one relation, from what is given and what is stored. */
import { ContentError, type Issue } from '../errors.js';
import { nullMessage, type Place, placeIn } from '../schema/accept.js';
import type {
  Component,
  ComponentAttribute,
  ContentType,
  RelationAttribute,
  ScalarAttribute,
  ZoneAttribute,
} from '../schema/model.js';
import type { Given, GivenValues } from './body.js';
import { applyChange, type Resolver } from './links.js';
import type { RelationInput } from './relation-input.js';
import type { Stored } from './stored-instances.js';

/** A step into an instance, on the way from the document to a value. */
export interface Step {
  readonly attribute: ComponentAttribute | ZoneAttribute;
  readonly component: Component;
  /** The step before; null in the document itself. */
  readonly outer: Step | null;
}

/** A value inside components that no other document may have. */
export interface UniqueValue {
  readonly within: Step;
  readonly attribute: ScalarAttribute;
  readonly value: unknown;
  readonly path: readonly string[];
  /** Whether the body carried it, so that an error may show it. */
  readonly given: boolean;
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
  readonly resolver: (target: ContentType) => Resolver;
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
}

export const at = (scope: Scope, name: string, context: SettleContext): Place =>
  placeIn(scope.path, name, context);

/** A required value that is not there; `label` names its type in the message about null. */
export function reportMissing(
  value: null | undefined,
  label: string,
  to: Place,
  context: SettleContext,
): void {
  if (context.draft) return;
  if (value === null || context.missingIsNull) to.report(nullMessage(to.label, label), null);
  else to.report(`${to.label} must be defined.`);
}

/** A value as it is stored. Those inside components that have to be unique are noted. */
function accepted(attribute: ScalarAttribute, raw: unknown, scope: Scope, context: SettleContext): unknown {
  const { def, name } = attribute;
  const to = at(scope, name, context);
  if (raw === undefined || raw === null) {
    if (attribute.required) reportMissing(raw, attribute.type.label, to, context);
    return null;
  }
  const value = attribute.type.accept(raw, def, to) ?? null;
  const { within } = scope;
  if (def.unique === true && within !== null && !context.draft && value !== null && value !== '')
    context.uniques.push({ within, attribute, value, path: to.path, given: scope.given.has(name) });
  return value;
}

/** A scalar's new value; undefined where the stored one stays. */
export function settleScalar(
  attribute: ScalarAttribute,
  given: Given | undefined,
  scope: Scope,
  context: SettleContext,
): unknown {
  const settled = (raw: unknown): unknown => {
    const value = accepted(attribute, raw, scope, context);
    return attribute.def.type === 'password' && typeof value === 'string' ? context.hash(value) : value;
  };
  if (given?.kind === 'scalar') return settled(given.raw);
  // A uid that is made from another attribute may be left out.
  if (scope.stored === null) return attribute.def.generate === true ? null : settled(attribute.def.default);
  // A stored password is a hash, which says nothing about the rules for passwords.
  const stored = scope.stored[attribute.name] ?? (context.missingIsNull ? null : undefined);
  const isHash = attribute.def.type === 'password' && typeof stored === 'string';
  if (context.complete && !isHash) accepted(attribute, stored, scope, context);
  return undefined;
}

/** The documents that a relation leads to, as they are stored: a list, or the one of a to-one. */
export function storedList(stored: Stored | null, { name, many }: RelationAttribute): readonly string[] {
  const value = stored?.[name];
  const list = (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
  return many ? list : list.slice(0, 1);
}

/** Where a refused value stands, as details of an error. */
const placeOf = (path: readonly string[]): Record<string, unknown> => ({
  key: path.at(-1),
  path: path.join('.'),
  source: 'body',
});

/** The new list of a relation. What is wrong with it is said with its place. */
function changedList(
  attribute: RelationAttribute,
  input: RelationInput,
  scope: Scope,
  context: SettleContext,
): readonly string[] {
  try {
    const resolver = context.resolver(attribute.target);
    return applyChange(storedList(scope.stored, attribute), input, attribute, resolver);
  } catch (error) {
    throw error instanceof ContentError
      ? new ContentError(error.name, error.message, {
          ...placeOf([...scope.path, attribute.name]),
          ...error.details,
        })
      : error;
  }
}

/** A relation's new list; undefined where the stored one stays. */
export function settleRelation(
  attribute: RelationAttribute,
  given: Given | undefined,
  scope: Scope,
  context: SettleContext,
): readonly string[] | undefined {
  const input = given?.kind === 'relation' ? given.input : undefined;
  const list =
    input === undefined || input.kind === 'keep' ? undefined : changedList(attribute, input, scope, context);
  const judged = context.strictRelations && (context.complete || input !== undefined);
  if (judged && attribute.required && (list ?? storedList(scope.stored, attribute)).length === 0)
    reportMissing(undefined, '', at(scope, attribute.name, context), { ...context, missingIsNull: false });
  return list;
}
