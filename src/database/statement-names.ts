/**
 * What is known of statements by their text: the name under which connections keep them prepared, and how
 * long they take. What is not used for long is forgotten, because every connection pays for what it keeps,
 * and because one-off queries must not use up the names of all others.
 */
import { hash } from 'node:crypto';
import type { Described, PoolClient } from './pool-types.js';

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

/** Hexadecimal digits of a name; with 128 bits, two texts do not share one. */
const DIGITS = 32;

/**
 * Names a prepared statement by a digest of its text. Behind a pooler, processes share server connections:
 * one name must never stand for two texts, in whichever process it was given.
 */
export const statementName = (text: string): string => `content_${hash('sha256', text).slice(0, DIGITS)}`;

/** The names that a connection has prepared. */
interface Prepared {
  readonly names: Set<string>;
  generation: number;
}

/** So many uses, or so many texts, make a generation. */
const LIFETIME = { uses: 5000, texts: 500 };

export class StatementNames {
  private readonly prepared = new WeakMap<PoolClient, Prepared>();
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

  constructor(private limits: NameLimits) {}

  /** Whether statements get names at all. */
  get isOn(): boolean {
    return this.limits.count > 0;
  }

  /** Stops naming: every statement is sent unnamed from now on. */
  stop(): void {
    this.limits = { count: 0, size: 0 };
    this.live.clear();
    for (const known of [...this.young.values(), ...this.old.values()]) known.name = null;
  }

  /** What is known of a text, which counts as used. */
  of(text: string): KnownStatement {
    this.uses += 1;
    if (this.uses > LIFETIME.uses) this.turn();
    const known = this.young.get(text);
    if (known === undefined) return this.keep(text);
    if (known.name === null) this.giveName(known, text);
    return known;
  }

  /** Names that a connection has prepared and that are no longer used; each is returned once. */
  release(client: PoolClient): readonly string[] {
    const prepared = this.prepared.get(client);
    if (prepared === undefined || prepared.generation === this.generation) return [];
    prepared.generation = this.generation;
    const names = [...prepared.names].filter((name) => !this.live.has(name));
    for (const name of names) prepared.names.delete(name);
    return names;
  }

  /** Notes that a connection has prepared a name. */
  note(client: PoolClient, name: string): void {
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
    if (before !== undefined && before.name === null) this.giveName(before, text);
    this.old.delete(text);
    if (this.young.size >= LIFETIME.texts) this.turn();
    this.young.set(text, known);
    return known;
  }

  /** Names are given while there is room: who is used keeps theirs, or all would lose them in turn. */
  private giveName(known: KnownStatement, text: string): void {
    if (this.live.size >= this.limits.count || this.size + known.length > this.limits.size) return;
    known.name = statementName(text);
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
