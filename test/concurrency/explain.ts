/** Whether a serial order of the operations explains what each of them answered. */

export interface Operation<State, Result> {
  /** What the operation makes of a state, and what it answers then. */
  readonly apply: (state: State) => State;
  readonly result: Result;
}

/**
 * Looks for an order in which every operation, applied to what the ones before it left, answers what it did answer.
 * `answer` tells what is answered in a state. Returns the last state, or null when there is no such order.
 */
export function serialOrder<State>(start: State, operations: readonly Operation<State, string>[], answer: (state: State) => string): State | null {
  const left = new Map<string, Operation<State, string>[]>();
  for (const operation of operations) left.set(operation.result, [...(left.get(operation.result) ?? []), operation]);
  const dead = new Set<string>();
  // A state's text and what is left decide alike; what is left is told by how often each answer is.
  const key = (state: State): string => `${answer(state)}#${[...left].map(([result, list]) => `${result}=${list.length}`).join(',')}`;

  const search = (state: State, open: number): State | null => {
    if (open === 0) return state;
    const at = key(state);
    if (dead.has(at)) return null;
    for (const [result, list] of left) {
      for (let i = 0; i < list.length; i += 1) {
        const operation = list[i] as Operation<State, string>;
        const next = operation.apply(state);
        if (answer(next) !== result) continue;
        list.splice(i, 1);
        const end = search(next, open - 1);
        if (end !== null) return end;
        list.splice(i, 0, operation);
      }
    }
    dead.add(at);
    return null;
  };
  return search(start, operations.length);
}
