/** Statements that features add to every write, in its transaction. */
import { Injectable } from '@nestjs/common';
import type { ContentType } from '../model/model.js';
import type { Sql, Statement } from '../../kernel/sql.js';
import type { WriteStep } from '../plan/steps.js';
import type { Versions } from '../plan/versions.js';
import type { WritePlan } from '../plan/write-plan.js';

/** Write whose rows are about to be written. */
export interface PlannedWrite {
  readonly plan: WritePlan;
  /** Document that is written, the new one of a create; null for a single type without a document. */
  readonly documentId: string | null;
  readonly steps: readonly WriteStep[];
  /** Versions of the document before the write. */
  readonly versions: Versions;
}

/**
 * Returns statements of one write, which run under its locks. They run before its rows are written, so that
 * the statement that writes a row can return the response, or after them.
 */
export type WriteAddition = (write: PlannedWrite) => readonly Statement[];

/** Returns the condition that an addition has stored the row `t` of a type; null for types that it skips. */
export type KeptCondition = (type: ContentType) => Sql | null;

@Injectable()
export class WriteAdditions {
  private readonly additions: WriteAddition[] = [];
  private readonly followers: WriteAddition[] = [];
  private kept: KeptCondition = () => null;

  /** Registers an addition to all later writes of all types. */
  add(addition: WriteAddition): void {
    this.additions.push(addition);
  }

  /** Registers an addition that reads the written rows. */
  addAfter(addition: WriteAddition): void {
    this.followers.push(addition);
  }

  /** Registers the condition that the load of each write evaluates, as `kept` of its versions. */
  addKeptCondition(condition: KeptCondition): void {
    this.kept = condition;
  }

  /** Returns the registered condition of a type. */
  keptOf(type: ContentType): Sql | null {
    return this.kept(type);
  }

  of(write: PlannedWrite): readonly Statement[] {
    return this.additions.flatMap((addition) => addition(write));
  }

  after(write: PlannedWrite): readonly Statement[] {
    return this.followers.flatMap((addition) => addition(write));
  }
}
