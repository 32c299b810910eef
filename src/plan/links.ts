/**
 * The list of targets that a relation has after a change, as a pure function of the list before (protocol
 * 11.2–11.17).
 */
import { validationError } from '../errors.js';
import type { Reference, RelationInput } from './relation-input.js';

/**
 * How references become document ids: `find` for those that may be missing, `require` for those that may not.
 */
export interface Resolver {
  readonly find: (reference: Reference) => string | undefined;
  readonly require: (references: readonly Reference[]) => readonly string[];
}

interface Step {
  readonly id: string;
  readonly shown: string | number;
  readonly anchor: string | null;
  readonly place: 'start' | 'end' | 'before' | 'after';
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
      return { id, shown, anchor: null, place: position.kind, anchorShown: '', positionShown: '' };
    const anchor = resolver.find(position.anchor) ?? '';
    return {
      id,
      shown,
      anchor,
      place: position.kind,
      anchorShown: show(position.anchor),
      positionShown: position.shown,
    };
  });
}

/** Items whose anchor is in the same list come after it, whatever the order they were given in. */
function inAnchorOrder(steps: readonly Step[]): Step[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const done = new Set<string>();
  const ordered: Step[] = [];
  for (const first of steps) {
    const chain: Step[] = [];
    const onChain = new Set<string>();
    for (
      let step: Step | undefined = first;
      step !== undefined && !done.has(step.id);
      step = step.anchor === null ? undefined : byId.get(step.anchor)
    ) {
      if (onChain.has(step.id)) {
        throw validationError(
          'A circular reference was found in the connect array. One relation is trying to connect before/after another one that is trying to connect before/after it',
        );
      }
      onChain.add(step.id);
      chain.push(step);
    }
    for (const step of chain.reverse()) {
      done.add(step.id);
      ordered.push(step);
    }
  }
  return ordered;
}

function place(list: string[], step: Step, strict: boolean): void {
  const at = list.indexOf(step.id);
  if (at >= 0) list.splice(at, 1);
  if (step.place === 'start') return void list.unshift(step.id);
  if (step.anchor === null) return void list.push(step.id);
  const anchor = list.indexOf(step.anchor);
  if (anchor >= 0) return void list.splice(step.place === 'before' ? anchor : anchor + 1, 0, step.id);
  if (!strict) return void list.push(step.id);
  throw validationError(
    `There was a problem connecting relation with id ${step.shown} at position ${step.positionShown}. The relation with id ${step.anchorShown} needs to be connected first.`,
  );
}

function changed(current: readonly string[], change: Change, resolver: Resolver): string[] {
  const steps = stepsOf(change, resolver);
  const gone = new Set(resolver.require(change.disconnect.filter((reference) => 'documentId' in reference)));
  for (const reference of change.disconnect) {
    const id = resolver.find(reference);
    if (id !== undefined) gone.add(id);
  }
  const list = current.filter((id) => !gone.has(id));
  for (const step of inAnchorOrder(steps)) place(list, step, change.strict);
  return list;
}

/**
 * The new list; a to-one keeps only the last. Throws the 400 for unknown targets, repeated or circular
 * connections.
 */
export function applyChange(
  current: readonly string[],
  input: RelationInput,
  many: boolean,
  resolver: Resolver,
): readonly string[] {
  if (input.kind === 'keep') return current;
  if (input.kind === 'set') {
    const list = [...new Set(resolver.require(input.references))];
    return many ? list : list.slice(-1);
  }
  if (many) return changed(current, input, resolver);
  const list = changed(current, { ...input, strict: false }, resolver);
  const last = input.connect.at(-1);
  return last === undefined ? list.slice(-1) : [resolver.find(last.reference) ?? ''];
}
