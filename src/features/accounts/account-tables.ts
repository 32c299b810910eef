import { Inject, Injectable } from '@nestjs/common';
import { Database, OWN_TRANSACTION } from '../../content/store/database.js';
import { ContentService } from '../../content/documents/content.service.js';
import { Documents } from '../../content/documents/documents.service.js';
import { neededType, RepositoryWithoutHooks } from '../../content/documents/repository-without-hooks.js';
import type { Runner } from '../../pool/runner.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';

export interface AccountTable {
  readonly type: ContentType;
  readonly documents: ContentService;
  /** Access to attributes that no request may read or write: see {@link RepositoryWithoutHooks}. */
  readonly records: RepositoryWithoutHooks;
}

@Injectable()
export class AccountTables {
  readonly users: AccountTable;
  readonly roles: AccountTable;

  constructor(
    @Inject(CONTENT_SCHEMA) schema: Schema,
    @Inject(Database) private readonly database: Database,
    @Inject(Documents) documents: Documents,
  ) {
    const tableOf = (name: string): AccountTable => {
      const type = neededType(schema, name, '...userTypes()');
      const records = new RepositoryWithoutHooks(database, type);
      return { type, documents: new ContentService(documents, type), records };
    };
    this.users = tableOf('user');
    this.roles = tableOf('role');
  }

  /** Runs `work` in one transaction, whose entity manager services can join. */
  transaction(work: (runner: Runner) => Promise<void>): Promise<void> {
    return this.database.transaction(work, { ...OWN_TRANSACTION, shared: true });
  }
}
