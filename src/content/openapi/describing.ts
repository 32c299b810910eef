import type { Caller } from '../access/caller.js';
import type { Schema } from '../model/model.js';
import type { ContentSettings } from '../../kernel/settings.js';
import type { Components } from './components.js';
import type { Paths } from './document.js';

/** Variant of the responses to describe. */
export interface ResponseVariant {
  /** Format of responses (protocol 17.1). */
  readonly format: 'flat' | 'v4';
  /** Whether `count` in a `populate` is described: counted attributes may then be objects. */
  readonly counts: boolean;
}

export interface Describing extends ResponseVariant {
  readonly caller: Caller;
  readonly schema: Schema;
  readonly settings: ContentSettings;
  /** Path before all content routes, such as `/api`. */
  readonly base: string;
  /** Whether replicas may respond to reads. */
  readonly replicas: boolean;
  /** Names of the headers with credentials, including `Authorization`. */
  readonly credentials: readonly string[];
  readonly components: Components;
}

/**
 * Adds paths of routes without a content type: accounts, files, the application's own. It is called for each
 * caller and describes only permitted operations.
 */
export type Describe = (describing: Describing) => Paths;
