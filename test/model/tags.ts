/** ETags of versions, as a client holds them for its later writes. */
export class Tags {
  private readonly known = new Map<string, { readonly tag: string; readonly isStale: boolean }>();

  /** Returns the tag that was read last for a version, or undefined. */
  of(version: string): string | undefined {
    return this.known.get(version)?.tag;
  }

  /** Whether the version was written or deleted since its tag was read. */
  isStale(version: string): boolean {
    return this.known.get(version)?.isStale === true;
  }

  remember(version: string, tag: string): void {
    this.known.set(version, { tag, isStale: false });
  }

  /** Makes the tags of versions stale. */
  move(versions: Iterable<string>): void {
    for (const version of versions) {
      const one = this.known.get(version);
      if (one !== undefined) this.known.set(version, { ...one, isStale: true });
    }
  }

  /**
   * Makes the tags of deleted versions stale. The draft of an unpublished version may have another tag, as it
   * keeps the positions of its links.
   */
  leave(versions: readonly string[]): void {
    this.move(versions);
    for (const version of versions) {
      const [id = '', state] = version.split(' ');
      const drafts = [...this.known.keys()].filter((one) => one.startsWith(`${id} draft `));
      if (state === 'published') for (const draft of drafts) this.known.delete(draft);
    }
  }
}
