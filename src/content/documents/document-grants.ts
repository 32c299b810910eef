/** Actions on one document that the grants of a caller permit, as its writes would decide. */
import { Inject, Injectable } from '@nestjs/common';
import { decide, type Decision, decidePublished, isOwn } from '../access/decide.js';
import { mayHoldIn } from '../access/conditions-of-locale.js';
import { type ActionDecisions, compileActionRights } from '../compile/compile-version-rights.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { Database } from '../store/database.js';
import type { Row } from '../../pool/runner.js';
import { decideReading, type Viewer } from '../plan/version-rights.js';
import { firstOf, hasSharedValues } from './document-rights.js';

/** Languages of a document that an action may change. `own`: only the given one. */
type Extent = 'all' | 'own' | 'none';

export interface DocumentGrants {
  readonly create: Extent;
  readonly update: Extent;
  readonly delete: Extent;
  /** The action `publish`. */
  readonly publish: Extent;
  /** `unpublish`, which leaves other languages as they are. */
  readonly withdraw: Extent;
  /** `discard`, which changes drafts. */
  readonly discard: Extent;
  /** A write that publishes. */
  readonly live: Extent;
}

/** Document in a language. */
interface DocumentPlace {
  /** Null for a new document, and for that of a single type. */
  readonly documentId: string | null;
  readonly locale: string;
}

const decisionsOf = ({ type, caller }: Viewer): ActionDecisions => ({
  update: decide(caller, type, 'update'),
  live: decidePublished(caller, type, 'update'),
  publish: decide(caller, type, 'publish'),
  delete: decidePublished(caller, type, 'delete'),
});

/** Whether versions meet a decision. A document belongs to one user in all its versions. */
function meet(rows: readonly Row[], name: keyof ActionDecisions | 'added', decision: Decision): boolean {
  if (typeof decision === 'string') return decision === 'all';
  const isMet = (row: Row): boolean => row[name] === true;
  return isOwn(decision) ? rows.some(isMet) : rows.every(isMet);
}

@Injectable()
export class GrantsOnDocuments {
  constructor(
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Database) private readonly database: Database,
  ) {}

  /** Decides the actions on a document, stored or new. The values that a write would store are not known. */
  async on(viewer: Viewer, { documentId, locale }: DocumentPlace): Promise<DocumentGrants> {
    const { type, caller } = viewer;
    const decisions = decisionsOf(viewer);
    const mayBeIn = (decision: Decision): boolean => !type.localized || mayHoldIn(decision, locale);
    const created = decide(caller, type, 'create');
    const create = created !== 'none' && mayBeIn(created) ? 'all' : 'none';
    const isNew = documentId === null && type.kind === 'collectionType';
    const { defaultLocale } = this.settings;
    const rows = isNew
      ? []
      : await this.database.run(
          compileActionRights(
            { type, documentId, defaultLocale, locale, shown: decideReading(viewer) },
            decisions,
          ),
        );
    const here = rows.filter((row) => !type.localized || row['locale'] === locale);
    /** Extent of an action that changes these versions of this language, and of all. */
    const extent = (name: keyof ActionDecisions, inLocale: readonly Row[], inAll = rows): Extent => {
      const decision = decisions[name];
      if (decision === 'none' || (here.length === 0 && !mayBeIn(decision))) return 'none';
      // A new document is the caller's own. Without versions, a single type gets its first one.
      if (rows.length === 0 || meet(inAll, name, decision)) return 'all';
      if (meet(inLocale, name, decision)) return 'own';
      const isAdded = name === 'update' && here.length === 0 && meet(inLocale, 'added', decision);
      return isAdded ? 'own' : 'none';
    };
    const drafts = (of: readonly Row[]): readonly Row[] =>
      firstOf(
        of.filter((row) => row['published'] !== true),
        of,
      );
    // A missing language is copied from the others.
    const read = firstOf(here, rows);
    const published = hasSharedValues(type) ? rows : read;
    const discarded = published.filter((row) => read.includes(row) || row['published'] !== true);
    return {
      create,
      update: extent('update', drafts(read), drafts(rows)),
      delete: extent('delete', read),
      publish: extent('publish', published),
      withdraw: extent('publish', read),
      discard: extent('publish', discarded),
      live: extent('live', published),
    };
  }
}
