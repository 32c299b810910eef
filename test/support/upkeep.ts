/** What the ledger asks by itself, or for many requests at once: nobody's request takes these statements. */
const ALONE =
  /as pending| as shape$|pg_is_in_recovery\(\)|pg_trigger|uncounted|content_total" t where t.type = w.type|set_config\('plan_cache_mode'/;
const BEGUN = /pg_try_advisory_xact_lock\(hashtextextended\('content-ledger'/;
const OVER = /^(commit|rollback)$/;

/** One of the driver's own queries, or several statements that are sent at once. */
export type Sent =
  string | { readonly text: string } | { readonly statements: readonly { readonly text: string }[] };

export function textsOf(sent: Sent): string[] {
  if (typeof sent === 'string') return [sent];
  return ('statements' in sent ? [...sent.statements] : [sent]).map(({ text }) => text);
}

/** Tells statements of the ledger's upkeep from those of requests; its transactions take several. */
export class Upkeep {
  private readonly busy = new WeakSet<object>();

  /** Whether what a connection is sent at once is upkeep. To be asked of all that it is sent, in order. */
  includes(connection: object, texts: readonly string[]): boolean {
    const [first = ''] = texts;
    if (texts.some((text) => BEGUN.test(text))) this.busy.add(connection);
    if (!this.busy.has(connection)) return ALONE.test(first);
    if (texts.some((text) => OVER.test(text))) this.busy.delete(connection);
    return true;
  }
}
