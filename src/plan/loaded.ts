/** What the database has said of a document that is to be written, and of those that its body names. */
import type { ContentType, LinkedAttribute } from '../schema/model.js';
import type { FoundTargets } from './found-targets.js';
import type { StoredValues } from './stored-instances.js';
import type { Versions } from './versions.js';

export interface Loaded {
  readonly versions: Versions;
  /** What is stored for the version to be written, or taken over into it; null for a new document. */
  readonly stored: StoredValues | null;
  /** What is stored for its published version. */
  readonly published: StoredValues | null;
  /** Fresh ids for component instances. */
  readonly ids: readonly number[];
  /** Documents that the write concerns and that have no draft, as a model without drafts has left them. */
  readonly draftless: ReadonlyMap<ContentType, readonly string[]>;
  readonly targets: ReadonlyMap<ContentType, FoundTargets>;
  /** Relations of which it was asked whether the document owns a link, in any state, and it does not. */
  readonly unlinked: ReadonlySet<LinkedAttribute>;
  /** Under which model the content is stored, by its digest; null where nobody has noted one. */
  readonly model: string | null;
  /** The same for each locale that has a draft, where all are written; empty otherwise. */
  readonly each: readonly Loaded[];
}
