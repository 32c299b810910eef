/** Work that ends with its page or its form: both are left only after a question. */
import { Observed } from './observed.ts';

type Unfinished = 'upload' | 'changes';

interface Hold {
  /** Null for work that only the end of the page would end. */
  readonly kind: Unfinished | null;
  /** Form or dialog with the work; null for that of the whole page. */
  readonly scope: object | null;
}

interface Asked {
  readonly kind: Unfinished;
  /** Leaves in spite of the work. */
  readonly leave: () => void;
}

/** Asks before the page is closed. */
const askToStay = (event: Event): void => event.preventDefault();

/** Page of an address. Panels, such as the preview, belong to the page of their document. */
function pageOf(address: string): string {
  const { pathname, searchParams } = new URL(address, location.href);
  return `${pathname} ${searchParams.get('locale') ?? ''}`;
}

class Leaving extends Observed<{ readonly asked: Asked | null }> {
  private readonly holds = new Set<Hold>();
  /** Holds of pages that were left in spite of them: an upload goes on, without another question. */
  private readonly left = new WeakSet<Hold>();
  private address = location.href;

  constructor() {
    super({ asked: null });
    // Before the router hears of a step in the history.
    addEventListener('popstate', this.stepped);
    for (const change of ['pushState', 'replaceState'])
      addEventListener(change, () => {
        this.address = location.href;
      });
  }

  /** Notes work under way. Returns a function that ends it. */
  hold(kind: Unfinished | null, scope: object | null = null): () => void {
    const hold = { kind, scope };
    this.holds.add(hold);
    addEventListener('beforeunload', askToStay);
    return () => {
      this.holds.delete(hold);
      if (this.holds.size === 0) removeEventListener('beforeunload', askToStay);
    };
  }

  private concerned(scope?: object): readonly Hold[] {
    return [...this.holds].filter(
      (hold) => hold.kind !== null && !this.left.has(hold) && (scope === undefined || hold.scope === scope),
    );
  }

  /** Whether a file is on its way to a form. */
  isUploading(scope: object): boolean {
    return this.concerned(scope).some(({ kind }) => kind === 'upload');
  }

  /** Leaves the page, or the form that is the scope, after a question if work of it is under way. */
  ask(leave: () => void, scope?: object): void {
    const held = this.concerned(scope);
    const kind = held[0]?.kind ?? null;
    if (kind === null) return leave();
    // One press of a key may close two dialogs: the first question counts.
    if (this.snapshot.asked !== null) return;
    const go = (): void => {
      for (const hold of held) this.left.add(hold);
      this.stay();
      leave();
    };
    this.show({ asked: { kind, leave: go } });
  }

  /** Ends the question. */
  readonly stay = (): void => void setTimeout(() => this.show({ asked: null }));

  /** Opens an address, as the router asks for. Replaced addresses are those of the same work. */
  readonly navigate = (
    go: (to: string, options?: { readonly replace?: boolean }) => void,
    to: string,
    options?: { readonly replace?: boolean },
  ): void => {
    const isHere = options?.replace === true || pageOf(to) === pageOf(location.href);
    if (isHere) go(to, options);
    else this.ask(() => go(to, options));
  };

  /** Returns to the page if its work is under way: a step in the history cannot be prevented. */
  private readonly stepped = (event: PopStateEvent): void => {
    const { address } = this;
    this.address = location.href;
    if (pageOf(address) === pageOf(location.href) || this.concerned().length === 0) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', address);
    this.ask(() => history.back());
  };
}

export const leaving = new Leaving();
