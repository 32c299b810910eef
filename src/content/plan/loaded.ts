import type { ContentType, LinkedAttribute } from '../model/model.js';
import type { FoundTargets } from './found-targets.js';
import type { StoredValues } from './stored-instances.js';
import type { Versions } from './versions.js';

export interface LoadedState {
  readonly versions: Versions;
  readonly stored: StoredValues | null;
  readonly published: StoredValues | null;
  readonly ids: readonly number[];
  /** Affected documents without drafts, from a model without drafts, by type. */
  readonly draftless: ReadonlyMap<ContentType, readonly string[]>;
  readonly targets: ReadonlyMap<ContentType, FoundTargets>;
  readonly unlinked: ReadonlySet<LinkedAttribute>;
  readonly model: string | null;
  /** State of each locale with a draft, for a write of all locales; otherwise empty. */
  readonly each: readonly LoadedState[];
}
