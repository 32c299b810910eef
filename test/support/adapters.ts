/**
 * HTTP adapters that a spec runs on. Rules about content are the same on both: `npm test` runs a spec on the
 * adapter that it names, and `npm run proofs` on the other one. Specs about requests, responses, connections
 * and attacks use `ADAPTERS`, which is always both.
 */
import { type Adapter, ADAPTERS } from './app.ts';
import { dose } from './dose.ts';

/** Returns `usual` in `npm test`, and the other adapter in `npm run proofs`. */
export const adaptersFor = (usual: Adapter): readonly Adapter[] =>
  ADAPTERS.filter((adapter) => (adapter === usual) === dose(true, false));
