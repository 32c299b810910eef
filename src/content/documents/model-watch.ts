import { Inject, Injectable, Logger } from '@nestjs/common';
import { unavailable } from '../../kernel/errors.js';
import type { LoadedState } from '../plan/loaded.js';
import type { WritePlan } from '../plan/write-plan.js';

export const MODEL_DIGEST = Symbol('ModelDigest');

/**
 * Whether a write copies whole versions: to another state, or into a new locale or draft. A process with an
 * outdated model would omit columns and links that it does not know.
 */
export function copiesVersions(plan: WritePlan, { versions, draftless }: LoadedState): boolean {
  const { verb, target, body } = plan;
  if (versions.all.length === 0 || verb === 'delete') return false;
  const publishes = target.type.draftAndPublish && target.publish;
  return body === null || publishes || versions.own === undefined || draftless.size > 0;
}

export interface StoredAtStart {
  /** Digest of the stored model; null if the database has none. */
  readonly stored: string | null;
  /** Last migration of the content; empty for none. */
  readonly generation: string;
}

/**
 * Detects a migration of the content to another model while this process runs, as in a rolling deploy. The
 * process continues to read and write what it knows, and refuses to copy versions.
 */
@Injectable()
export class ModelWatch {
  private readonly logger = new Logger('ContentModel');
  private first: string | null = null;
  /** Last migration before the start; empty if it is unknown. */
  generation = '';
  private hasWarned = false;
  /** Whether the last write that copies versions found another model. Another process can do such work. */
  isOutdated = false;

  constructor(@Inject(MODEL_DIGEST) private readonly own: string) {}

  /**
   * Records the stored model at the start. It may differ from this process's model if other tools have
   * migrated.
   */
  begin({ stored, generation }: StoredAtStart): void {
    this.first = stored;
    this.generation = generation;
  }

  /** Throws a 503 if the stored model has changed since the start. */
  check(stored: string | null): void {
    this.isOutdated = stored !== null && stored !== this.own && stored !== this.first;
    if (!this.isOutdated) return;
    if (!this.hasWarned)
      this.logger.warn(
        'The content was migrated to another model than this process has. The process no longer publishes ' +
          'or restores, and creates no drafts or locales: replace it with the new release',
      );
    this.hasWarned = true;
    throw unavailable('The content model was migrated; retry after this server was updated');
  }
}
