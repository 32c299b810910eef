/** Computes the target list of a relation from its previous list and a change (protocol 11.2–11.17). */
import { validationError } from '../../kernel/errors.js';
import { fileKindOf } from '../model/allowed-types.js';
import type { LinkedAttribute } from '../model/model.js';
import type { GivenRelation } from './given.js';
import { OrderedIds } from './ordered-ids.js';
import type { Reference, RelationInput } from './relation-input.js';

export interface Resolver {
  readonly find: (reference: Reference) => string | undefined;
  readonly require: (references: readonly Reference[]) => readonly string[];
  readonly mime: (documentId: string) => string | undefined;
}

interface Step {
  readonly id: string;
  readonly shown: string | number;
  readonly anchor: string | null;
  readonly position: 'start' | 'end' | 'before' | 'after';
  readonly anchorShown: string | number;
  readonly positionShown: string;
}

type Change = Extract<RelationInput, { kind: 'change' }>;

const show = (reference: Reference): string | number =>
  'id' in reference ? reference.id : reference.documentId;

function stepsOf(change: Change, resolver: Resolver): Step[] {
  const ids = resolver.require(change.connect.map(({ reference }) => reference));
  const seen = new Set<string>();
  return change.connect.map(({ reference, position }, i) => {
    const id = ids[i] ?? '';
    const shown = show(reference);
    if (seen.has(id))
      throw validationError(
        `The relation with id ${shown} is already connected. You cannot connect the same relation twice.`,
      );
    seen.add(id);
    if (!('anchor' in position))
      return { id, shown, anchor: null, position: position.kind, anchorShown: '', positionShown: '' };
    const anchor = resolver.find(position.anchor) ?? '';
    return {
      id,
      shown,
      anchor,
      position: position.kind,
      anchorShown: show(position.anchor),
      positionShown: position.shown,
    };
  });
}

/** Connects the items of one list in order (protocol 11.11). */
class Connecting {
  private readonly pending: Map<string, Step>;
  /** Items whose anchor must be connected first; detects cycles. */
  private readonly waiting = new Set<string>();

  constructor(
    private readonly list: OrderedIds,
    steps: readonly Step[],
    private readonly rules: { readonly strict: boolean; readonly shown: boolean },
  ) {
    this.pending = new Map(steps.map((step) => [step.id, step]));
  }

  /** Connects an item, after its anchor if that is in the same request and not linked yet. */
  connect(first: Step): void {
    const chain: Step[] = [];
    for (let step: Step | undefined = first; step !== undefined; step = this.pendingAnchor(step)) {
      if (this.waiting.has(step.id))
        throw validationError(
          'A circular reference was found in the connect array. One relation is trying to connect before/after ' +
            'another one that is trying to connect before/after it',
        );
      this.waiting.add(step.id);
      chain.push(step);
    }
    this.waiting.clear();
    for (const step of chain.reverse()) this.insert(step);
  }

  private pendingAnchor({ anchor }: Step): Step | undefined {
    if (anchor === null || (this.rules.shown && this.list.has(anchor))) return undefined;
    return this.pending.get(anchor);
  }

  private insert(step: Step): void {
    if (!this.pending.delete(step.id)) return;
    const { list } = this;
    if (step.position === 'start') return list.toStart(step.id);
    if (step.anchor === null) return list.toEnd(step.id);
    if (step.anchor !== step.id && list.has(step.anchor))
      return step.position === 'before'
        ? list.toBefore(step.id, step.anchor)
        : list.toAfter(step.id, step.anchor);
    if (!this.rules.strict || !this.rules.shown) return list.toEnd(step.id);
    throw validationError(
      `There was a problem connecting relation with id ${step.shown} at position ${step.positionShown}. ` +
        `The relation with id ${step.anchorShown} needs to be connected first.`,
    );
  }
}

/** Returns the ids that a change disconnects. */
function goneIn({ disconnect }: Change, resolver: Resolver): Set<string> {
  const gone = new Set(resolver.require(disconnect.filter((reference) => 'documentId' in reference)));
  for (const reference of disconnect) {
    const id = resolver.find(reference);
    if (id !== undefined) gone.add(id);
  }
  return gone;
}

interface ShownChange {
  readonly change: Change;
  /** Whether the caller can read the stored links. */
  readonly shown: boolean;
}

function applySteps(
  current: readonly string[],
  { change, shown }: ShownChange,
  resolver: Resolver,
): readonly string[] {
  const steps = stepsOf(change, resolver);
  const gone = goneIn(change, resolver);
  // Disconnected items stay until the end, so that a position can name the item that another one replaces.
  const list = new OrderedIds(current);
  const connecting = new Connecting(list, steps, { strict: change.strict, shown });
  for (const step of steps) {
    connecting.connect(step);
    gone.delete(step.id);
  }
  return list.ids().filter((id) => !gone.has(id));
}

/** Throws a 400 for files of a kind that a media attribute does not allow. */
function checkFiles(input: RelationInput, { def }: LinkedAttribute, resolver: Resolver): void {
  const allowed = def.type === 'media' ? def.allowedTypes : undefined;
  if (allowed === undefined || input.kind === 'keep') return;
  const references =
    input.kind === 'set' ? input.references : input.connect.map(({ reference }) => reference);
  const refused = references.find((reference) => {
    const mime = resolver.mime(resolver.find(reference) ?? '');
    return mime !== undefined && !allowed.includes(fileKindOf(mime));
  });
  if (refused !== undefined)
    throw validationError(
      `The file with id ${show(refused)} is not of the allowed types: ${allowed.join(', ')}`,
    );
}

type ChangedRelation = Pick<GivenRelation, 'attribute' | 'input' | 'shown'>;

/**
 * Returns the new list; a to-one keeps only the last. Throws the 400 for unknown targets, repeated or
 * circular connections, and files of a kind that is not allowed.
 *
 * The result and the errors of a caller who cannot read the stored links do not depend on them, except for
 * their order.
 */
export function applyChange(
  current: readonly string[],
  given: ChangedRelation,
  resolver: Resolver,
): readonly string[] {
  const list = newList(current, given, resolver);
  checkFiles(given.input, given.attribute, resolver);
  return list;
}

function newList(
  current: readonly string[],
  { attribute: { many }, input, shown }: ChangedRelation,
  resolver: Resolver,
): readonly string[] {
  if (input.kind === 'keep') return current;
  if (input.kind === 'change')
    return many ? applySteps(current, { change: input, shown }, resolver) : lastOf(current, input, resolver);
  const ids = [...new Set(resolver.require(input.references))];
  return many ? ids : ids.slice(-1);
}

/** Returns the only entry of a to-one, in which positions mean nothing: the last connected item. */
function lastOf(current: readonly string[], change: Change, resolver: Resolver): readonly string[] {
  const last = stepsOf(change, resolver).at(-1);
  const gone = goneIn(change, resolver);
  return last === undefined ? current.filter((id) => !gone.has(id)) : [last.id];
}
