/**
 * Compares times: those of the seed exactly; those of requests by their relations to each other and to the
 * clock.
 */

export const TIMES = ['createdAt', 'updatedAt', 'publishedAt'] as const;

type Fields = Readonly<Record<string, unknown>>;

export interface TimeDifference {
  readonly key: string;
  readonly recorded: string;
  readonly ours: string;
}

/** Time of our request, as `Date.now()`, and the times that the request itself set. */
export interface Moment {
  readonly sent: number;
  readonly received: number;
  /** Times of the written document that the request must have set. */
  readonly made: readonly string[];
}

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Whether a time is from the seed: in the recording, seeded times are in this month, and all others come from
 * requests.
 */
export const isSeeded = (time: string): boolean => time.startsWith('2025-01-');

const textAt = (fields: Fields, key: string): string | null => {
  const value = fields[key];
  return typeof value === 'string' ? value : null;
};

interface Known {
  readonly recorded: string;
  readonly ours: string;
}

/** Remembers times of versions, by the id of our row and the attribute. */
export class Times {
  private readonly known = new Map<string, Known>();
  private pending: [string, Known][] = [];
  private readonly start: number;
  private readonly pinned: ReadonlySet<string>;

  /** `pinned` are the document ids whose times the seed determines. */
  constructor(start: number, pinned: ReadonlySet<string>) {
    this.start = start;
    this.pinned = pinned;
  }

  begin(): void {
    this.pending = [];
  }

  keep(): void {
    for (const [place, known] of this.pending) this.known.set(place, known);
  }

  /** Returns the differing times of one document; `moment` for the document of the request. */
  compare(
    kind: string,
    [recorded, ours]: readonly [Fields, Fields],
    moment: Moment | null,
  ): TimeDifference[] {
    return TIMES.flatMap((key): TimeDifference[] => {
      const [theirs, own] = [textAt(recorded, key), textAt(ours, key)];
      if (theirs === null || own === null) return [];
      const place = `${kind}:${String(ours['id'])}:${key}`;
      const right =
        FORM.test(own) &&
        (isSeeded(theirs)
          ? theirs === own || !this.pinned.has(String(recorded['documentId']))
          : this.isLive(place, theirs, own) && wasMade(key, own, moment) && agrees(key, recorded, ours));
      this.pending.push([place, { recorded: theirs, ours: own }]);
      return right ? [] : [{ key, recorded: theirs, ours: own }];
    });
  }

  /** A time set since the start: equal if the recorded one is equal, not earlier if it is later. */
  private isLive(place: string, recorded: string, ours: string): boolean {
    if (Date.parse(ours) < this.start) return false;
    const known = this.known.get(place);
    if (known === undefined || isSeeded(known.recorded) || recorded < known.recorded) return true;
    return recorded === known.recorded ? ours === known.ours : ours >= known.ours;
  }
}

const wasMade = (key: string, ours: string, moment: Moment | null): boolean =>
  moment === null ||
  !moment.made.includes(key) ||
  (moment.sent <= Date.parse(ours) && Date.parse(ours) <= moment.received);

/**
 * A document was created and changed at the same time if the recorded one was, and is not changed before its
 * creation. The reference stamps `publishedAt` some milliseconds from `updatedAt` in one request; that order
 * is meaningless.
 */
function agrees(key: string, recorded: Fields, ours: Fields): boolean {
  if (key !== 'updatedAt') return true;
  const [created, ownCreated] = [textAt(recorded, 'createdAt'), textAt(ours, 'createdAt')];
  if (created === null || ownCreated === null) return true;
  const updated = String(ours['updatedAt']);
  return created === recorded['updatedAt'] ? ownCreated === updated : ownCreated <= updated;
}
