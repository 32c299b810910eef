import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../../content/access/caller.js';
import {
  assignedBy,
  writtenActionsOf,
  writtenDocumentOf,
  writtenLocaleOf,
} from '../../../content/documents/logged-write.js';
import { type PlannedWrite, WriteAdditions } from '../../../content/documents/write-additions.js';
import { type HttpRequest, requestIdOf, stateOf } from '../../../content/http/request-state.js';
import { unstorable } from '../../../content/model/cast-value.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../../content/model/model.js';
import { Database } from '../../../content/store/database.js';
import { runUnlimited } from '../../../content/store/run-unlimited.js';
import type { Row } from '../../../pool/runner.js';
import { fill, silently, type Statement, type Template } from '../../../kernel/sql.js';
import { AUDIT_OPTIONS, type ResolvedAuditOptions } from './audit.options.js';
import {
  compileAfter,
  compileCountOlder,
  compileEntries,
  compileForgetEntries,
  type NewEntries,
} from './compile-audit.js';

export type AuditedRequest = HttpRequest & { readonly ip?: string };

/** Action that is not a write of a document, after its response is known. */
export interface AuditedAction {
  readonly action: string;
  readonly status: number;
  /** Kind of the thing that the action is about; null for accounts and tokens. */
  readonly type: string | null;
  /** Id of the thing that the action is about; null if it is unknown. */
  readonly documentId: string | null;
  readonly attributes: readonly string[];
  readonly actor: Pick<Caller, 'kind' | 'id'>;
}

/** Characters of an id that an index entry can contain. No document has a longer id. */
const MAX_ID = 255;

/** Number of entries that one statement reads or deletes. */
const BATCH = 1000;

type Actor = Pick<Caller, 'kind' | 'id'>;

const PUBLIC = { kind: 'public', id: null } as const;

/** Returns the caller of a request; `otherwise` for a request whose caller the library does not know. */
export function actorOf(request: object, otherwise: Actor = PUBLIC): Actor {
  const { audited, caller } = stateOf(request);
  return audited?.actor ?? caller ?? otherwise;
}

/** Appends every write and every action on accounts, with the caller and the request. */
@Injectable()
export class AuditLog implements OnModuleInit {
  /** Request whose handler runs. */
  readonly current = new AsyncLocalStorage<AuditedRequest>();
  private readonly entries: Template<NewEntries>;
  private readonly file: ContentType;

  constructor(
    @Inject(CONTENT_SCHEMA) { file }: Schema,
    @Inject(Database) private readonly database: Database,
    @Inject(WriteAdditions) private readonly additions: WriteAdditions,
    @Inject(AUDIT_OPTIONS) private readonly options: ResolvedAuditOptions,
  ) {
    this.file = file;
    this.entries = compileEntries(file);
  }

  onModuleInit(): void {
    this.additions.add((write) => this.of(write));
  }

  /** Appends an action that is not a write, in a separate transaction. */
  async note({ action, documentId, actor, ...known }: AuditedAction, request: AuditedRequest): Promise<void> {
    await this.database.run(
      fill(this.entries, {
        ...known,
        actions: [action],
        // Paths can name ids that no text or index can store. The attempt is recorded without them.
        documentId: unstorable(documentId) || (documentId ?? '').length > MAX_ID ? null : documentId,
        locale: null,
        actor: actor.kind,
        actorId: actor.id,
        requestId: requestIdOf(request),
        address: this.addressOf(request),
      }),
    );
  }

  /** Yields all entries, oldest first, as JSON. */
  async *entriesAsJson(): AsyncGenerator<string> {
    for (let after = '0', isLast = false; !isLast;) {
      const rows = await this.database.run(compileAfter(this.file, after, BATCH));
      for (const row of rows) yield String(row['entry']);
      const { id = after } = rows.at(-1) ?? {};
      after = String(id);
      isLast = rows.length < BATCH;
    }
  }

  /** Returns the number of entries that are older than a number of days. */
  async countOlder(days: number): Promise<number> {
    const [row] = await this.alone(compileCountOlder(this.file, days));
    return Number(row?.['count'] ?? 0);
  }

  /** Deletes entries that are older than a number of days. Returns their number. */
  async forget(days: number): Promise<number> {
    let deleted = 0;
    for (let last = BATCH; last === BATCH; deleted += last)
      last = (await this.alone(compileForgetEntries(this.file, days, BATCH))).length;
    return deleted;
  }

  /** Runs a statement that may read the whole log, which takes longer than a request may. */
  private alone(statement: Statement): Promise<readonly Row[]> {
    return runUnlimited(this.database, (runner) => runner.run(statement));
  }

  private addressOf(request: AuditedRequest | undefined): string | null {
    return this.options.addresses ? (request?.ip ?? null) : null;
  }

  private of(write: PlannedWrite): readonly Statement[] {
    const { plan } = write;
    const documentId = writtenDocumentOf(write);
    const actions = writtenActionsOf(write);
    if (documentId === null || actions.length === 0) return [];
    const request = this.current.getStore();
    // Services of accounts write as the application, in the request of a caller.
    const isSystem = plan.caller.kind === 'system' && request !== undefined;
    const { kind, id } = isSystem ? actorOf(request, plan.caller) : plan.caller;
    const entries = {
      actions,
      status: null,
      type: plan.target.type.singularApiId,
      documentId,
      locale: writtenLocaleOf(plan) || null,
      attributes: assignedBy(write)
        .filter(({ hidden }) => !hidden)
        .map(({ name }) => name),
      actor: kind,
      actorId: id,
      requestId: plan.requestId ?? (request === undefined ? null : requestIdOf(request)),
      address: this.addressOf(request),
    };
    return [silently(fill(this.entries, entries))];
  }
}
