/** Loaded state of a document and its referenced documents, before a write. */
import type { ContentType, LinkedAttribute } from '../model/model.js';
import type { FoundTargets } from './found-targets.js';
import type { StoredValues } from './stored-instances.js';
import type { Versions } from './versions.js';

export interface Loaded {
  readonly versions: Versions;
  /**
   * Values of the version to write, or of the version that a new locale starts from; null for a new document.
   */
  readonly stored: StoredValues | null;
  /** Values of the published version. */
  readonly published: StoredValues | null;
  /** New ids for component instances. */
  readonly ids: readonly number[];
  /** Affected documents without drafts, from a model without drafts, by type. */
  readonly draftless: ReadonlyMap<ContentType, readonly string[]>;
  readonly targets: ReadonlyMap<ContentType, FoundTargets>;
  /** Relations in which the document owns no link in any state. Only some relations are queried. */
  readonly unlinked: ReadonlySet<LinkedAttribute>;
  /** Digest of the model under which the content is stored; null if none is recorded. */
  readonly model: string | null;
  /** State of each locale with a draft, for a write of all locales; otherwise empty. */
  readonly each: readonly Loaded[];
}
