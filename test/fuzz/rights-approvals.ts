/** Approved contents of stories, for the fuzzer of rights. */
import type { Version } from './rights-model.ts';

const isApproved = ({ type, published, stage }: Version): boolean =>
  type === 'story' && (published || stage === 'read');

/** Contents of a version: those of its locale, and those that it shares with the other locales. */
const contentsOf = ({ documentId, locale, title, kind, topic, team, seal, tags, parts }: Version): string[] =>
  [
    [documentId, locale, title, kind],
    [documentId, topic, team, seal, tags, parts],
  ].map((content) => JSON.stringify(content));

/** Contents that the application, or a caller with `move`, has approved. */
export class Approvals {
  private readonly contents = new Set<string>();

  add(versions: Iterable<Version>): void {
    for (const version of versions)
      if (isApproved(version)) for (const content of contentsOf(version)) this.contents.add(content);
  }

  /** Whether a version is approved, or published, with contents that never were. */
  areMissing(version: Version): boolean {
    return isApproved(version) && contentsOf(version).some((content) => !this.contents.has(content));
  }
}
