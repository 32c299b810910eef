/**
 * What is known of statements by their text: the name under which connections keep them prepared, and how
 * long they take. The least used are forgotten, because every connection pays for what it keeps, and because
 * one-off queries must not use up the names of all others.
 */
import { identifier, join, print, quote, sql, type Statement } from '../sql.js';

/** What is known of one text. */
export interface KnownStatement {
  /** Null until it has come a second time, and for texts that are too long to be kept prepared. */
  name: string | null;
  /** How long it took lately, in milliseconds; null before it has run. */
  milliseconds: number | null;
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

/** The names that a connection has prepared. */
interface Prepared {
  readonly names: Set<string>;
  generation: number;
}

/** Texts of one time, and the characters of those that have a name. */
interface Generation {
  readonly texts: Map<string, KnownStatement>;
  size: number;
}

const empty = (): Generation => ({ texts: new Map(), size: 0 });

export class StatementNames {
  /** Two modules may share the connections of one host. */
  private static instances = 0;
  private readonly prefix = `content_${(StatementNames.instances += 1)}`;
  private readonly prepared = new WeakMap<object, Prepared>();
  private readonly live = new Set<string>();
  /**
   * What was used lately, and what was before that: a generation that is full ends the one before it. A hit
   * changes nothing, where an order by last use would rebuild its table again and again.
   */
  private young = empty();
  private old = empty();
  private generation = 0;
  private made = 0;

  constructor(private readonly limits: NameLimits) {}

  /** What is known of a text, which counts as used. */
  of(text: string): KnownStatement {
    const known = this.young.texts.get(text);
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
    if (text.length > LONGEST) return { name: null, milliseconds: null, length: text.length };
    const { young, old } = this;
    const before = old.texts.get(text);
    const known = before ?? { name: null, milliseconds: null, length: text.length };
    old.texts.delete(text);
    young.texts.set(text, known);
    if (known.name !== null) young.size += known.length;
    else if (before !== undefined) this.giveName(known);
    if (young.texts.size > this.limits.count / 2) this.turn();
    return known;
  }

  private giveName(known: KnownStatement): void {
    if (this.limits.count === 0) return;
    this.made += 1;
    known.name = `${this.prefix}_${this.made}`;
    this.live.add(known.name);
    this.young.size += known.length;
    if (this.young.size > this.limits.size / 2) this.turn();
  }

  /** What was used lately becomes what was before; what was before and has not come again loses its name. */
  private turn(): void {
    for (const { name } of this.old.texts.values()) if (name !== null) this.live.delete(name);
    this.old = this.young;
    this.young = empty();
    this.generation += 1;
  }
}
