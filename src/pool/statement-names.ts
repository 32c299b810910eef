/**
 * Cache of prepared statements by text, with their statistics. Unused ones are evicted: each costs memory on
 * every connection, and one-off queries must not displace the others.
 */
import { hash } from 'node:crypto';
import type { DescribedStatement, PoolClient } from './pool-types.js';

export interface StatementProfile extends DescribedStatement {
  /** Null before the second use, and for texts that are too long to prepare. */
  name: string | null;
  /** Recent time in milliseconds; null before the first run. */
  milliseconds: number | null;
  /** Recent size of the rows of the statement, in characters. */
  size: number;
  readonly length: number;
}

export interface NameLimits {
  readonly count: number;
  readonly size: number;
}

/** Longest text that is prepared: plans of longer ones take megabytes on every connection. */
const LONGEST = 16_384;

const newProfile = ({ length }: string): StatementProfile => ({
  name: null,
  milliseconds: null,
  size: 0,
  length,
  columns: null,
});

const DIGITS = 32;

/**
 * Names a prepared statement by a digest of its text. Behind a pooler, processes share server connections:
 * one name must never stand for two texts, in whichever process it was given.
 */
export const statementName = (text: string): string => `content_${hash('sha256', text).slice(0, DIGITS)}`;

interface PreparedNames {
  readonly names: Set<string>;
  generation: number;
}

const LIFETIME = { uses: 5000, texts: 500 };

export class StatementNames {
  private readonly prepared = new WeakMap<PoolClient, PreparedNames>();
  private readonly live = new Set<string>();
  /**
   * Two generations of entries. At the end of a generation, entries that are only in the old one are evicted.
   * Unlike LRU order, a hit changes no table.
   */
  private young = new Map<string, StatementProfile>();
  private old = new Map<string, StatementProfile>();
  private uses = 0;
  private size = 0;
  private generation = 0;

  constructor(private limits: NameLimits) {}

  get isOn(): boolean {
    return this.limits.count > 0;
  }

  /** Stops naming: every statement is sent unnamed from now on. */
  stop(): void {
    this.limits = { count: 0, size: 0 };
    this.live.clear();
    for (const profile of [...this.young.values(), ...this.old.values()]) profile.name = null;
  }

  of(text: string): StatementProfile {
    this.uses += 1;
    if (this.uses > LIFETIME.uses) this.nextGeneration();
    const profile = this.young.get(text);
    if (profile === undefined) return this.add(text);
    if (profile.name === null) this.giveName(profile, text);
    return profile;
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

  note(client: PoolClient, name: string): void {
    const prepared = this.prepared.get(client);
    if (prepared === undefined)
      this.prepared.set(client, { names: new Set([name]), generation: this.generation });
    else prepared.names.add(name);
  }

  private add(text: string): StatementProfile {
    if (text.length > LONGEST) return newProfile(text);
    const before = this.old.get(text);
    const profile = before ?? newProfile(text);
    if (before !== undefined && before.name === null) this.giveName(before, text);
    this.old.delete(text);
    if (this.young.size >= LIFETIME.texts) this.nextGeneration();
    this.young.set(text, profile);
    return profile;
  }

  /** Names a text while there is room. Names in use stay: evicting them would cycle through all texts. */
  private giveName(profile: StatementProfile, text: string): void {
    if (this.live.size >= this.limits.count || this.size + profile.length > this.limits.size) return;
    profile.name = statementName(text);
    this.live.add(profile.name);
    this.size += profile.length;
  }

  /** Starts a generation: entries of the old one that were not used again lose their names. */
  private nextGeneration(): void {
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
