/**
 * Tags of the versions of a written document, before and after the write (protocol 8.35). A write in one
 * locale or state may change others: a client that has read them sees that the change is its own.
 */
import { userOf } from '../access/caller.js';
import type { OwnCondition } from '../access/decide.js';
import { checkedAs, isFlag, isListOf, isShape, isText } from '../../kernel/json.js';
import type { ReadPlan, StatePlan } from '../plan/plan.js';
import type { VersionRow } from '../plan/versions.js';
import type { WritePlan } from '../plan/write-plan.js';
import { writtenTag } from './etag.js';

export interface VersionTag {
  /** Omitted for types without locales. */
  readonly locale?: string;
  readonly status: 'draft' | 'published';
  readonly etag: string;
  /** Tag before the write; null for a version that did not exist, or that the caller could not read. */
  readonly former: string | null;
}

interface Stamp {
  readonly locale: string;
  readonly published: boolean;
  readonly stamp: string;
}

const isStamps = isListOf(isShape<Stamp>({ locale: isText, published: isFlag, stamp: isText }));

/**
 * Owner condition of the versions that the caller may read; null if there is none. The plan of the response
 * may be shared by users, so the user is that of the write.
 */
export function ownConditionOfReads({
  state,
  caller,
}: Pick<WritePlan, 'state' | 'caller'>): OwnCondition | null {
  const rule = [state?.published, state?.drafts].find((one) => one?.kind === 'own') ?? null;
  const user = userOf(caller);
  return rule === null || user === null ? null : { ...rule, user };
}

/** Whether the caller could read a version before the write; the same condition as in `compileState`. */
function isReadable({ published, shown }: VersionRow, state: StatePlan): boolean {
  if (shown || (state.published === null && state.drafts === null)) return true;
  return state.published === null && published;
}

/** Returns the tags of the versions in `text`, the JSON text of their stamps; null without a state. */
export function versionTags(
  text: string | null,
  before: readonly VersionRow[],
  { type, state }: Pick<ReadPlan, 'type' | 'state'>,
): readonly VersionTag[] | null {
  if (text === null || state === null) return null;
  const readable = before.filter((row) => isReadable(row, state));
  return checkedAs(JSON.parse(text), isStamps, 'The stamps of a document').map((one) => {
    const { locale, published, stamp } = one;
    const former = readable.find((row) => row.locale === locale && row.published === published);
    return {
      ...(type.localized ? { locale } : {}),
      status: type.draftAndPublish && !published ? 'draft' : 'published',
      etag: writtenTag(stamp),
      former: former === undefined ? null : writtenTag(former.stamp),
    };
  });
}
