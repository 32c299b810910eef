/** The leaves of a document: one scalar or one relation, from what is given and what is stored. */
import { ContentError, type Issue, type Refusal } from '../errors.js';
import { type ValueContext, sentValue, storedValue, untoldValue } from '../schema/value-context.js';
import type {
  Attribute,
  Component,
  EmbeddedAttribute,
  LinkedAttribute,
  ScalarAttribute,
} from '../schema/model.js';
import type { Body } from './body.js';
import type { GivenRelation, GivenValues } from './given.js';
import { isHidden, type Telling } from './rights.js';
import { type LinkResolver, planList, storedList } from './plan-list.js';
import type { StoredValues } from './stored-instances.js';

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
  readonly at: ValueContext;
}

export interface PlanContext {
  /** Drafts may be incomplete; what is published may not (protocol 8.11). */
  readonly draft: boolean;
  /** In types with drafts a missing value is the draft's null; elsewhere it is undefined (protocol 8.12). */
  readonly missingIsNull: boolean;
  /** Whether attributes that the body leaves out are checked too: on create and on publish. */
  readonly complete: boolean;
  /** Whether required relations and media may not be empty (protocol 11.36). */
  readonly strictRelations: boolean;
  readonly issues: Issue[];
  /** Filled with relations and component ids that do not fit the stored content. */
  readonly refusals: Refusal[];
  /** Filled with the values inside components that have to be unique. */
  readonly uniques: UniqueValue[];
  readonly newInstance: () => { readonly id: number; readonly documentId: string };
  readonly hash: (password: string) => string;
  readonly resolver: (given: GivenRelation, stored: readonly string[]) => LinkResolver;
  readonly telling: Body['telling'];
  readonly isSent: Body['isSent'];
}

/** Where a value stands: what the body gives there, and what is stored. */
export interface Level {
  readonly path: readonly string[];
  /** The instance that it stands in; null for the document itself. */
  readonly within: Step | null;
  readonly given: GivenValues;
  /** The stored values; null for a new document or instance. */
  readonly stored: StoredValues | null;
  /** Stored values of any version, where ids of component instances may come from (D18). */
  readonly versions: readonly StoredValues[];
  /** Inside components: what holds for the whole that this is part of. */
  readonly part?: Part;
}

/** What an error may tell of a value, and whether it is the caller's own. */
export interface Part {
  readonly telling: Telling;
  readonly sent: boolean;
}

/** At the root by the caller's rights, below it like the whole that it is part of. */
export const partOf = (attribute: Attribute, { part }: Level, context: PlanContext): Part =>
  part ?? { telling: context.telling(attribute), sent: context.isSent(attribute) };

/** A value: what the body gives for an attribute, or what it does not; or one entry of it. */
interface Spot {
  readonly from: 'body' | 'stored';
  readonly attribute: Attribute;
  readonly entry?: string;
}

/** Where a value stands, put together once there is something to be said of it: most have no problem. */
class SpotContext implements ValueContext {
  constructor(
    private readonly spot: Spot,
    private readonly level: Level,
    private readonly context: PlanContext,
  ) {}

  private get told(): ValueContext {
    return toldOf(this.spot, this.level, this.context);
  }

  get draft(): boolean {
    return this.context.draft;
  }

  get path(): readonly string[] {
    return this.told.path;
  }

  get label(): string {
    return this.told.label;
  }

  report(message: string, value?: unknown, below?: readonly string[]): void {
    this.told.report(message, value, below);
  }

  reportType(type: string, value: unknown, castFrom?: unknown): void {
    this.told.reportType(type, value, castFrom);
  }

  reportNull(type: string): void {
    this.told.reportNull(type);
  }
}

export const contextOf = (spot: Spot, level: Level, context: PlanContext): ValueContext =>
  new SpotContext(spot, level, context);

function toldOf({ from, attribute, entry }: Spot, level: Level, context: PlanContext): ValueContext {
  const { telling, sent } = partOf(attribute, level, context);
  const path = [...level.path, attribute.name];
  if (entry !== undefined) path.push(entry);
  const where = { path, draft: context.draft, issues: context.issues };
  if (telling === 'nothing' || (telling === 'shown' && isHidden(attribute))) return untoldValue(where);
  return from === 'body' && sent ? sentValue(where) : storedValue(where);
}

/** What is not there; `label` names its type in the message about null. */
interface Missing {
  readonly value: null | undefined;
  readonly label: string;
}

/** Reports a required value that is not there. */
export function reportMissing(at: ValueContext, { value, label }: Missing, context: PlanContext): void {
  if (context.draft) return;
  if (value === null || context.missingIsNull) at.reportNull(label);
  else at.report(`${at.label} must be defined.`);
}

/** A value that is to be stored, and where it stands. */
interface Candidate {
  readonly attribute: ScalarAttribute;
  readonly raw: unknown;
  readonly at: ValueContext;
}

/** A value as it is stored. Those inside components that have to be unique are noted. */
function accepted({ attribute, raw, at }: Candidate, level: Level, context: PlanContext): unknown {
  if (raw === undefined || raw === null) {
    if (attribute.required) reportMissing(at, { value: raw, label: attribute.type.label }, context);
    return null;
  }
  const value = attribute.type.castValue(raw, attribute.def, at) ?? null;
  const { within } = level;
  const counts = attribute.def.unique === true && within !== null && !context.draft;
  if (counts && value !== null && value !== '') context.uniques.push({ within, attribute, value, at });
  return value;
}

/** A scalar's new value; undefined where the stored one stays. */
export function planScalar(attribute: ScalarAttribute, level: Level, context: PlanContext): unknown {
  const given = level.given.scalars.get(attribute.name);
  if (given !== undefined) {
    const at = contextOf({ from: 'body', attribute }, level, context);
    const value = accepted({ attribute, raw: given.raw, at }, level, context);
    return attribute.def.type === 'password' && typeof value === 'string' ? context.hash(value) : value;
  }
  // A uid that is made from another attribute may be left out.
  if (level.stored === null && attribute.def.generate === true) return null;
  if (level.stored === null) return acceptedStored(attribute, attribute.def.default, { level, context });
  if (!context.complete) return undefined;
  // A stored password is a hash, which says nothing about the rules for passwords.
  const stored = level.stored[attribute.name] ?? (context.missingIsNull ? null : undefined);
  const isHash = attribute.def.type === 'password' && typeof stored === 'string';
  if (!isHash) acceptedStored(attribute, stored, { level, context });
  return undefined;
}

/** The same of a value that no body gives. */
function acceptedStored(
  attribute: ScalarAttribute,
  raw: unknown,
  { level, context }: { readonly level: Level; readonly context: PlanContext },
): unknown {
  const at = contextOf({ from: 'stored', attribute }, level, context);
  return accepted({ attribute, raw, at }, level, context);
}

/** List of a relation in the body; undefined without one, null after a refusal. */
function givenList(
  attribute: LinkedAttribute,
  level: Level,
  context: PlanContext,
): readonly string[] | undefined | null {
  const given = level.given.relations.get(attribute.name);
  if (given === undefined || given.input.kind === 'keep') return undefined;
  const stored = storedList(level.stored, attribute);
  const path = [...level.path, attribute.name];
  const { sent, telling } = partOf(attribute, level, context);
  try {
    return planList({ given, stored, resolver: context.resolver(given, stored), path, sent });
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    // A hook may set a relation whose name the caller must not see (D27).
    if (telling === 'nothing') contextOf({ from: 'body', attribute }, level, context).report(error.message);
    else context.refusals.push({ error, path });
    return null;
  }
}

/** A relation's new list; undefined where the stored one stays, or where a problem has been reported. */
export function planRelation(
  attribute: LinkedAttribute,
  level: Level,
  context: PlanContext,
): readonly string[] | undefined {
  const list = givenList(attribute, level, context);
  if (list === null) return undefined;
  const isGiven = level.given.relations.has(attribute.name);
  const judged = context.strictRelations && (context.complete || isGiven);
  if (judged && attribute.required && (list ?? storedList(level.stored, attribute)).length === 0) {
    const at = contextOf({ from: isGiven ? 'body' : 'stored', attribute }, level, context);
    reportMissing(at, { value: undefined, label: '' }, { ...context, missingIsNull: false });
  }
  return list;
}
