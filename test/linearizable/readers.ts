/** Ways to read slots, and the values in their responses. */
import type { Read, Value } from './history.ts';
import { LASTING, SLOTS } from './model.ts';
import type { Instance } from './world.ts';

/** Shared state of readers. */
export interface ReaderBase {
  readonly instances: readonly Instance[];
  readonly documentIds: readonly string[];
  readonly random: () => number;
  readonly now: () => number;
}

interface Item extends Value {
  readonly slot: number;
}

type Shown = readonly [number, Value][];

/** A request, and the slots in its response. */
interface Question {
  readonly path: string;
  readonly slots: number;
  readonly shown: (body: unknown) => Shown;
}

const valueOf = ({ slot, token, seq }: Item): [number, Value] => [slot, { token, seq }];
const dataOf = <T>(body: unknown): T => (body as { readonly data: T }).data;

/** A list whose total is the number of its slots. */
function listed(body: unknown): Shown {
  const items = dataOf<readonly Item[]>(body);
  const { total } = (body as { readonly meta: { readonly pagination: { readonly total: number } } }).meta
    .pagination;
  if (total !== items.length) throw new Error(`a total of ${total} for ${items.length} items`);
  return items.map(valueOf);
}

const one = (body: unknown): Shown => [valueOf(dataOf<Item>(body))];
const shelved = (body: unknown): Shown =>
  dataOf<readonly { readonly items: readonly Item[] }[]>(body).flatMap(({ items }) => items.map(valueOf));

const QUESTIONS: readonly ((reader: Reader) => Question)[] = [
  (reader) => ({ path: `/api/items/${reader.documentId}`, slots: 1, shown: one }),
  (reader) => ({ path: `/api/items/${reader.documentId}?populate=shelves`, slots: 1, shown: one }),
  () => ({ path: '/api/items?sort=slot&pagination[pageSize]=50', slots: SLOTS.length, shown: listed }),
  () => ({ path: '/api/items?sort=slot&pagination[pageSize]=50', slots: SLOTS.length, shown: listed }),
  () => ({ path: '/api/shelves?populate=items&sort=name', slots: LASTING, shown: shelved }),
  (reader) => {
    const slot = reader.whole(SLOTS.length);
    return { path: `/api/items?filters[slot][$eq]=${slot}`, slots: 1, shown: listed };
  },
];

/** Half of the reads send an ETag. */
const KNOWN = 0.5;

/** Client that sends one request after another, and remembers the responses. */
export class Reader {
  private readonly base: ReaderBase;
  private readonly remembered = new Map<string, { readonly etag: string; readonly values: Shown }>();

  constructor(base: ReaderBase) {
    this.base = base;
  }

  whole(below: number): number {
    return Math.floor(this.base.random() * below);
  }

  get documentId(): string {
    return this.base.documentIds[this.whole(LASTING)] ?? '';
  }

  /** Reads. Returns the values, null for a failed request, or a problem of the response itself. */
  async step(): Promise<Read | string | null> {
    const { instances, random, now } = this.base;
    const { path, slots, shown } = (QUESTIONS[this.whole(QUESTIONS.length)] as (typeof QUESTIONS)[number])(
      this,
    );
    const instance = instances[this.whole(instances.length)] as Instance;
    const remembered = random() < KNOWN ? this.remembered.get(path) : undefined;
    const invoked = now();
    try {
      const { status, etag, body } = await instance.http('GET', path, { known: remembered?.etag ?? null });
      const answered = now();
      const by = `GET ${path} of ${instance.name}${status === 304 ? ' (304)' : ''}`;
      if (status === 304) return { by, invoked, answered, values: new Map(remembered?.values) };
      if (status !== 200) return status < 500 ? `${by}: status ${status}: ${body}` : null;
      const values = shown(JSON.parse(body));
      if (etag !== null) this.remembered.set(path, { etag, values });
      const distinct = new Map(values);
      if (values.length === slots && distinct.size === slots)
        return { by, invoked, answered, values: distinct };
      return `${by}: ${values.length} items instead of ${slots}`;
    } catch (error) {
      return error instanceof Error && 'code' in error ? null : `GET ${path}: ${String(error)}`;
    }
  }
}
