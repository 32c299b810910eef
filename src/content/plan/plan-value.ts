/** Plans single scalars and relations of a document from input and stored values. */
import { ContentError, type Issue, type Refusal } from '../../kernel/errors.js';
import { unstorable } from '../model/cast-value.js';
import type { ValueCheck } from '../model/checks.js';
import { type ValueContext, sentValue, storedValue, untoldValue } from '../model/value-context.js';
import type {
  Attribute,
  Component,
  EmbeddedAttribute,
  LinkedAttribute,
  ScalarAttribute,
} from '../model/model.js';
import type { Body } from './body.js';
import type { GivenRelation, GivenValues } from './given.js';
import { isHidden } from './rights.js';
import { type Telling } from './write-rights.js';
import { type LinkResolver, planList, storedList } from './plan-list.js';
import type { StoredValues } from './stored-instances.js';

export interface Step {
  readonly attribute: EmbeddedAttribute;
  readonly component: Component;
  readonly outer: Step | null;
}

/** Value inside components that must be unique across documents. */
export interface UniqueValue {
  readonly within: Step;
  readonly attribute: ScalarAttribute;
  readonly value: unknown;
  readonly at: ValueContext;
}

export interface PlanContext {
  /** Drafts may be incomplete; published versions may not (protocol 8.11). */
  readonly draft: boolean;
  /**
   * Whether a missing value counts as null: in types with drafts. Elsewhere it is undefined (protocol 8.12).
   */
  readonly missingIsNull: boolean;
  /** Whether attributes that the body omits are checked too: on create and on publish. */
  readonly complete: boolean;
  /** Whether the document exists in other locales only. */
  readonly newLocale: boolean;
  /** Whether required relations and media may not be empty (protocol 11.36). */
  readonly strictRelations: boolean;
  /** Whether an instance whose id does not exist is new: its version is restored. */
  readonly restores: boolean;
  /** Whether a deleted document comes back, perhaps without values that are required now. */
  readonly revives: boolean;
  readonly issues: Issue[];
  readonly refusals: Refusal[];
  readonly uniques: UniqueValue[];
  readonly newInstance: () => { readonly id: number; readonly documentId: string };
  readonly hash: (password: string) => string;
  readonly resolver: (given: GivenRelation, stored: readonly string[]) => LinkResolver;
  readonly telling: Body['telling'];
  readonly isSent: Body['isSent'];
}

export interface Level {
  readonly path: readonly string[];
  readonly within: Step | null;
  readonly given: GivenValues;
  readonly stored: StoredValues | null;
  /** Values of any version, from which component instances may come (D18). */
  readonly versions: readonly StoredValues[];
  /** Disclosure rules inherited from the root attribute, inside components. */
  readonly part?: Part;
}

/** Disclosure of a value in errors, and whether the caller sent it. */
export interface Part {
  readonly telling: Telling;
  readonly sent: boolean;
}

/** Returns the rules of the root attribute, which also apply to the values inside it. */
export const partOf = (attribute: Attribute, { part }: Level, context: PlanContext): Part =>
  part ?? { telling: context.telling(attribute), sent: context.isSent(attribute) };

interface Spot {
  readonly from: 'body' | 'stored';
  readonly attribute: Attribute;
  readonly entry?: string;
}

/** Error context of a value. Created lazily, since most values have no errors. */
class SpotContext implements ValueContext {
  constructor(
    private readonly spot: Spot,
    private readonly level: Level,
    private readonly context: PlanContext,
  ) {}

  private get disclosed(): ValueContext {
    return disclosedContext(this.spot, this.level, this.context);
  }

  get draft(): boolean {
    return this.context.draft;
  }

  get path(): readonly string[] {
    return this.disclosed.path;
  }

  get label(): string {
    return this.disclosed.label;
  }

  report(message: string, value?: unknown, below?: readonly string[]): void {
    this.disclosed.report(message, value, below);
  }

  reportType(type: string, value: unknown, castFrom?: unknown): void {
    this.disclosed.reportType(type, value, castFrom);
  }

  reportNull(type: string): void {
    this.disclosed.reportNull(type);
  }
}

export const contextOf = (spot: Spot, level: Level, context: PlanContext): ValueContext =>
  new SpotContext(spot, level, context);

function disclosedContext(
  { from, attribute, entry }: Spot,
  level: Level,
  context: PlanContext,
): ValueContext {
  const { telling, sent } = partOf(attribute, level, context);
  const path = [...level.path, attribute.name];
  if (entry !== undefined) path.push(entry);
  const where = { path, draft: context.draft, issues: context.issues };
  if (telling === 'nothing' || (telling === 'shown' && isHidden(attribute))) return untoldValue(where);
  return from === 'body' && sent ? sentValue(where) : storedValue(where);
}

interface Missing {
  readonly value: null | undefined;
  readonly label: string;
}

export function reportMissing(at: ValueContext, { value, label }: Missing, context: PlanContext): void {
  if (context.draft || context.revives) return;
  if (value === null || context.missingIsNull) at.reportNull(label);
  else at.report(`${at.label} must be defined.`);
}

interface Candidate {
  readonly attribute: ScalarAttribute;
  readonly raw: unknown;
  readonly at: ValueContext;
}

/** Reports the message of the attribute's own check. A password is never repeated. */
export function checkValue(value: unknown, { attribute: { def }, raw, at }: Candidate): void {
  const check = def.validate as ValueCheck<unknown> | undefined;
  const message = check?.(value) ?? null;
  if (message !== null) at.report(message, def.type === 'password' ? undefined : raw);
}

/** Casts a value for storage. Collects unique values inside components. */
function acceptValue({ attribute, raw, at }: Candidate, level: Level, context: PlanContext): unknown {
  if (raw === undefined || raw === null) {
    if (attribute.required) reportMissing(at, { value: raw, label: attribute.type.label }, context);
    return null;
  }
  const value = attribute.type.castValue(raw, attribute.def, at) ?? null;
  if (value !== null && !context.draft) checkValue(value, { attribute, raw, at });
  const { within } = level;
  const counts = attribute.def.unique === true && within !== null && !context.draft;
  if (counts && value !== null && value !== '' && !unstorable(value))
    context.uniques.push({ within, attribute, value, at });
  return value;
}

/** Returns a scalar's new value; undefined if the stored one stays. */
export function planScalar(attribute: ScalarAttribute, level: Level, context: PlanContext): unknown {
  const given = level.given.scalars.get(attribute.name);
  if (given !== undefined) {
    const at = contextOf({ from: 'body', attribute }, level, context);
    const value = acceptValue({ attribute, raw: given.raw, at }, level, context);
    return attribute.def.type === 'password' && typeof value === 'string' ? context.hash(value) : value;
  }
  // A uid that is generated from another attribute may be omitted.
  const isNew = level.stored === null || (level.within === null && context.newLocale && attribute.localized);
  if (isNew && attribute.def.generate === true) return null;
  if (isNew) return acceptStored(attribute, attribute.def.default, { level, context });
  if (!context.complete) return undefined;
  // A stored password is a hash. The rules of passwords do not apply to it.
  const stored = level.stored[attribute.name] ?? (context.missingIsNull ? null : undefined);
  const isHash = attribute.def.type === 'password' && typeof stored === 'string';
  if (!isHash) acceptStored(attribute, stored, { level, context });
  return undefined;
}

function acceptStored(
  attribute: ScalarAttribute,
  raw: unknown,
  { level, context }: { readonly level: Level; readonly context: PlanContext },
): unknown {
  const at = contextOf({ from: 'stored', attribute }, level, context);
  return acceptValue({ attribute, raw, at }, level, context);
}

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

/** Returns a relation's new list; undefined if the stored one stays, or after an error. */
export function planRelation(
  attribute: LinkedAttribute,
  level: Level,
  context: PlanContext,
): readonly string[] | undefined {
  const list = givenList(attribute, level, context);
  if (list === null) return undefined;
  const isGiven = level.given.relations.has(attribute.name);
  const isRequired = context.strictRelations && (context.complete || isGiven);
  if (isRequired && attribute.required && (list ?? storedList(level.stored, attribute)).length === 0) {
    const at = contextOf({ from: isGiven ? 'body' : 'stored', attribute }, level, context);
    reportMissing(at, { value: undefined, label: '' }, { ...context, missingIsNull: false });
  }
  return list;
}
