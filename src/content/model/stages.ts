/** Stages of drafts in the model. */
import type { ContentTypeDefinition } from './definitions.js';

interface Stage {
  /** Names of the stages to which a draft can move. */
  readonly to: ReadonlySet<string>;
  /** Whether its drafts can be published; false in all stages means that publishing requires no stage. */
  readonly publish: boolean;
}

export interface Stages {
  /** Stage of new versions, and of those without a value. */
  readonly initial: string;
  readonly states: ReadonlyMap<string, Stage>;
  /** Names of the stages whose drafts can be published; empty for all. */
  readonly publishing: ReadonlySet<string>;
}

export function stagesOf({ stages = {} }: ContentTypeDefinition): Stages | null {
  const names = Object.entries(stages);
  const [first] = names;
  if (first === undefined) return null;
  const states = names.map(([name, { to, publish = false }]): [string, Stage] => [
    name,
    { to: new Set(to), publish },
  ]);
  return Object.freeze({
    initial: first[0],
    states: new Map(states),
    publishing: new Set(states.flatMap(([name, { publish }]) => (publish ? [name] : []))),
  });
}
