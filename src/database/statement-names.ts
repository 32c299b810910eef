/**
 * What is known of statements by their text: the name under which connections keep them prepared, and how
 * long they take. What is not used for long is forgotten, because every connection pays for what it keeps,
 * and because one-off queries must not use up the names of all others.
 */
import { identifier, join, print, quote, sql, type Statement } from '../sql.js';
import type { Described } from './pool-types.js';

/** What is known of one text. */
export interface KnownStatement extends Described {
  /** Null until it has come a second time, and for texts that are too long to be kept prepared. */
  name: string | null;
  /** How long it took lately, in milliseconds; null before it has run. */
  milliseconds: number | null;
  /** Characters of what it brought lately. */
  size: number;
  readonly length: number;
}

/** Bounds of what connections keep prepared. */
export interface NameLimits {
  /** Texts. */
  readonly count: number;
  /** Characters of all of them. */
  readonly size: number;
}

/** The plan of a longer text takes megabytes on every connection. */
const LONGEST = 16_384;

const unknown = ({ length }: string): KnownStatement => ({
  name: null,
  milliseconds: null,
  size: 0,
  length,
  columns: null,
});

/** The names that a connection has prepared. */
interface Prepared {
  readonly names: Set<string>;
  generation: number;
}

/** So many uses, or so many texts, make a generation. */
const LIFETIME = { uses: 5000, texts: 500 };

export class StatementNames {
  /** Two modules may share the connections of one host. */
  private static instances = 0;
  private readonly prefix = `content_${(StatementNames.instances += 1)}`;
  private readonly prepared = new WeakMap<object, Prepared>();
  private readonly live = new Set<string>();
  /**
   * What was used lately, and what was before that: a generation that is over ends the one before it. A hit
   * changes nothing, where an order by last use would rebuild its table again and again.
   */
  private young = new Map<string, KnownStatement>();
  private old = new Map<string, KnownStatement>();
  private uses = 0;
  /** Characters of all texts that have a name. */
  private size = 0;
  private generation = 0;
  private made = 0;

  constructor(private readonly limits: NameLimits) {}

  /** What is known of a text, which counts as used. */
  of(text: string): KnownStatement {
    this.uses += 1;
    if (this.uses > LIFETIME.uses) this.turn();
    const known = this.young.get(text);
    if (known === undefined) return this.keep(text);
    if (known.name === null) this.giveName(known);
    return known;
  }

  /** The statement that makes a connection forget what is no longer kept; null when there is none. */
  release(client: object): { readonly names: readonly string[]; readonly statement: Statement } | null {
    const prepared = this.prepared.get(client);
    if (prepared === undefined || prepared.generation === this.generation) return null;
    prepared.generation = this.generation;
    const names = [...prepared.names].filter((name) => !this.live.has(name));
    if (names.length === 0) return null;
    for (const name of names) prepared.names.delete(name);
    return {
      names,
      statement: print(
        join(
          names.map((name) => sql`deallocate ${quote(identifier(name))}`),
          '; ',
        ),
      ),
    };
  }

  /** Notes that a connection has prepared a name. */
  note(client: object, name: string): void {
    const prepared = this.prepared.get(client);
    if (prepared === undefined)
      this.prepared.set(client, { names: new Set([name]), generation: this.generation });
    else prepared.names.add(name);
  }

  /** A text that was not used lately: known from before, or new. */
  private keep(text: string): KnownStatement {
    if (text.length > LONGEST) return unknown(text);
    const before = this.old.get(text);
    const known = before ?? unknown(text);
    if (before !== undefined && before.name === null) this.giveName(before);
    this.old.delete(text);
    if (this.young.size >= LIFETIME.texts) this.turn();
    this.young.set(text, known);
    return known;
  }

  /** Names are given while there is room: who is used keeps theirs, or all would lose them in turn. */
  private giveName(known: KnownStatement): void {
    if (this.live.size >= this.limits.count || this.size + known.length > this.limits.size) return;
    this.made += 1;
    known.name = `${this.prefix}_${this.made}`;
    this.live.add(known.name);
    this.size += known.length;
  }

  /** What was used lately becomes what was before; what was before and has not come again loses its name. */
  private turn(): void {
    for (const { name, length } of this.old.values()) {
      if (name === null) continue;
      this.live.delete(name);
      this.size -= length;
    }
    this.old = this.young;
    this.young = new Map();
    this.uses = 0;
    this.generation += 1;
  }
}
