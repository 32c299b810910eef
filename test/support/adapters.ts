/**
 * Which adapters a spec is run on. Rules about content are the same on both: `npm test` has them on one of them,
 * another one from spec to spec, and `npm run proofs` on both. What is about requests, answers and connections
 * themselves, and what attackers try, takes `ADAPTERS`: both, always.
 */
import { type Adapter, ADAPTERS } from './app.ts';
import { dose } from './dose.ts';

/** For a spec, by its `import.meta.url`. */
export function adaptersFor(spec: string): readonly Adapter[] {
  const name = spec.slice(spec.lastIndexOf('/') + 1);
  const sum = [...name].reduce((before, letter) => before + letter.charCodeAt(0), 0);
  const turn = ADAPTERS.filter((_, i) => i === sum % ADAPTERS.length);
  return dose<readonly Adapter[]>(turn, ADAPTERS);
}
