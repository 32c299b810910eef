import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { ContentService } from '../documents/content.service.js';
import { Documents } from '../documents/documents.service.js';
import { neededType, RepositoryWithoutHooks } from '../documents/repository-without-hooks.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../schema/model.js';

/** A type of the library's own, with its two doors. */
export interface AccountTable {
  readonly type: ContentType;
  /** The front door: rights, checks and hooks, as for everybody. */
  readonly documents: ContentService;
  /** The back door, for what no request may see or write: see {@link RepositoryWithoutHooks}. */
  readonly records: RepositoryWithoutHooks;
}

/** Users and roles. Throws a ContentModelError where the model has neither. */
@Injectable()
export class AccountTables {
  readonly users: AccountTable;
  readonly roles: AccountTable;

  constructor(
    @Inject(CONTENT_SCHEMA) schema: Schema,
    @Inject(Database) database: Database,
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
}
