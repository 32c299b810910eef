/**
 * Names for prepared statements. A shape gets one when it comes a second time, so that one-off queries cannot
 * use up the names; the number of names is bounded because every connection keeps what was prepared under
 * them.
 */
export class StatementNames {
  /** Two modules may share the connections of one host. */
  private static instances = 0;
  private readonly prefix = `content_${(StatementNames.instances += 1)}`;
  private readonly names = new Map<string, string>();
  private seenOnce = new Set<string>();

  constructor(private readonly limit: number) {}

  /** The name of a statement's text, or undefined when it runs unnamed. */
  nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined || this.names.size >= this.limit) return known;
    if (!this.seenOnce.delete(text)) {
      if (this.seenOnce.size >= this.limit) this.seenOnce = new Set();
      this.seenOnce.add(text);
      return undefined;
    }
    const name = `${this.prefix}_${this.names.size}`;
    this.names.set(text, name);
    return name;
  }

  get size(): number {
    return this.names.size;
  }
}
