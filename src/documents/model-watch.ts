import { Inject, Injectable, Logger } from '@nestjs/common';
import { unavailable } from '../errors.js';
import type { Loaded } from '../plan/loaded.js';
import type { WritePlan } from '../plan/write-plan.js';

/** Injection token of the digest of the model that this process was started with. */
export const MODEL_DIGEST = Symbol('ModelDigest');

/**
 * Whether a write copies whole versions: from one state to the other, or to a locale or a draft that is new.
 * A process that does not know all of a version's columns and links would leave some of them out.
 */
export function copiesVersions(plan: WritePlan, { versions, draftless }: Loaded): boolean {
  const { verb, target, body } = plan;
  if (versions.all.length === 0 || verb === 'delete') return false;
  const publishes = target.type.draftAndPublish && target.publish;
  return body === null || publishes || versions.own === undefined || draftless.size > 0;
}

/**
 * Notices that the content has been migrated to another model while this process was running, as in a
 * rolling deploy. It goes on reading and writing what it knows, and leaves the copying of versions to others.
 */
@Injectable()
export class ModelWatch {
  private readonly logger = new Logger('ContentModel');
  private first: string | null = null;
  private hasTold = false;

  constructor(@Inject(MODEL_DIGEST) private readonly own: string) {}

  /** Notes the stored model at the start: it may be another than ours, where other tools have migrated. */
  begin(stored: string | null): void {
    this.first = stored;
  }

  /** Throws a 503 where the stored model has become another one since then. */
  check(stored: string | null): void {
    if (stored === null || stored === this.own || stored === this.first) return;
    if (!this.hasTold)
      this.logger.warn(
        'The content has been migrated to another model than this process has: it publishes nothing any more, ' +
          'and makes no drafts and locales. Replace it by the new release',
      );
    this.hasTold = true;
    throw unavailable('The content model has changed; this server is about to be replaced');
  }
}
