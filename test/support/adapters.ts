/**
 * HTTP adapters that a spec runs on. Rules about content are the same on both: `npm test` runs a spec on one
 * adapter, chosen by file name. `npm run proofs` uses both. Specs about requests, responses, connections and
 * attacks use `ADAPTERS`, which is always both.
 */
import { type Adapter, ADAPTERS } from './app.ts';
import { dose } from './dose.ts';

/** Returns the adapters of a spec, given its `import.meta.url`. */
export function adaptersFor(spec: string): readonly Adapter[] {
  const name = spec.slice(spec.lastIndexOf('/') + 1);
  const sum = [...name].reduce((before, letter) => before + letter.charCodeAt(0), 0);
  const chosen = ADAPTERS.filter((_, i) => i === sum % ADAPTERS.length);
  return dose<readonly Adapter[]>(chosen, ADAPTERS);
}
