import { parsedOrNull } from '../../../kernel/json.js';
import { Inject, Injectable } from '@nestjs/common';
import { compileFindRecords } from '../../../content/compile/compile-record.js';
import { ContentService } from '../../../content/documents/content.service.js';
import { Documents } from '../../../content/documents/documents.service.js';
import { RepositoryWithoutHooks } from '../../../content/documents/repository-without-hooks.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../../content/model/model.js';
import { mutexOf } from '../../../content/plan/locks.js';
import { Database, OWN_TRANSACTION } from '../../../content/store/database.js';
import { ContentError } from '../../../kernel/errors.js';
import { present } from '../../../kernel/present.js';
import { compileLocks } from '../../../pool/locks.js';
import type { Row, Runner } from '../../../pool/runner.js';
import type { WebhookEndpoint } from './endpoint.js';
import { webhookType } from './webhook-type.js';

export interface StoredEndpoint extends WebhookEndpoint {
  readonly id: string;
  readonly enabled: boolean;
  readonly secrets: readonly string[];
}

interface StoredSecret {
  readonly secret: string;
  /** Milliseconds since 1970 after which it no longer signs; null for the current one. */
  readonly until: number | null;
}

/** Time that a former secret signs as well, in milliseconds. */
const OVERLAP = 86_400_000;
/** Time that a list of webhooks is cached, in milliseconds. */
const MAX_AGE = 5000;

const JSON_KEYS = ['events', 'types', 'filters', 'fields', 'populate', 'headers'] as const;
const COLUMNS = ['documentId', 'name', 'url', 'enabled', 'role', 'secrets', ...JSON_KEYS];

const secretsOf = (row: Row): readonly StoredSecret[] =>
  (parsedOrNull(row['secrets']) ?? []) as readonly StoredSecret[];

/** Returns the secrets that sign together with a new one. */
function formerIn(secrets: readonly StoredSecret[]): readonly StoredSecret[] {
  const now = Date.now();
  return secrets
    .filter(({ until }) => until === null || until > now)
    .map((one) => ({ ...one, until: one.until ?? now + OVERLAP }));
}

/** Values were checked when they were stored. */
function endpointOf(row: Row): StoredEndpoint {
  const values = JSON_KEYS.flatMap((key): [string, unknown][] => {
    const value = parsedOrNull(row[key]);
    return value === null ? [] : [[key, value]];
  });
  const now = Date.now();
  return {
    ...(Object.fromEntries(values) as Omit<WebhookEndpoint, 'name' | 'url'>),
    id: String(row['documentId']),
    name: String(row['name']),
    url: String(row['url']),
    enabled: row['enabled'] !== false,
    ...(typeof row['role'] === 'string' ? { role: row['role'] } : {}),
    secrets: secretsOf(row)
      .filter(({ until }) => until === null || until > now)
      .map(({ secret }) => secret),
  };
}

interface WebhookTable {
  readonly type: ContentType;
  readonly records: RepositoryWithoutHooks;
  readonly service: ContentService<Record<string, unknown> & { documentId: string }>;
}

/** Webhooks of the database; none if `webhookType` is not among the content types. */
@Injectable()
export class StoredWebhooks {
  private readonly table: WebhookTable | null;
  private cached: { readonly at: number; readonly endpoints: readonly StoredEndpoint[] } | null = null;

  constructor(
    @Inject(CONTENT_SCHEMA) schema: Schema,
    @Inject(Database) private readonly database: Database,
    @Inject(Documents) documents: Documents,
  ) {
    const type = schema.types.get(webhookType.singularApiId);
    this.table =
      type === undefined
        ? null
        : {
            type,
            records: new RepositoryWithoutHooks(database, type),
            service: new ContentService(documents, type),
          };
  }

  /** Returns all webhooks: `fresh` ones, or those of the last few seconds. */
  async all(fresh: boolean): Promise<readonly StoredEndpoint[]> {
    const { cached, table } = this;
    if (table === null) return [];
    if (!fresh && cached !== null && performance.now() - cached.at < MAX_AGE) return cached.endpoints;
    const at = performance.now();
    const endpoints = (await table.records.all(COLUMNS)).map(endpointOf);
    this.cached = { at, endpoints };
    return endpoints;
  }

  /** Stores a webhook and returns its id. Throws ValidationError for a taken name. */
  async create(input: WebhookEndpoint, secret: string): Promise<string> {
    const secrets: readonly StoredSecret[] = [{ secret, until: null }];
    const { documentId } = await this.needed().service.create({ ...input, secrets });
    this.cached = null;
    return documentId;
  }

  async update(id: string, changes: object): Promise<void> {
    await this.needed().service.update(id, { ...changes });
    this.cached = null;
  }

  async remove(id: string): Promise<void> {
    await this.needed().service.delete(id);
    this.cached = null;
  }

  /** Adds a secret, which becomes the current one. A lock keeps the secrets of concurrent rotations. */
  async rotate(id: string, secret: string): Promise<void> {
    const { type, service } = this.needed();
    const lock = { name: present(mutexOf(type, id), 'The lock of a webhook'), exclusive: true };
    const work = async (runner: Runner): Promise<void> => {
      await runner.run(compileLocks([lock]));
      const rows = await runner.run(compileFindRecords(type, [{ documentId: id }], ['secrets']));
      const secrets = [{ secret, until: null }, ...formerIn(rows.flatMap(secretsOf))];
      await service.update(id, { secrets }, {}, { em: present(runner.em, 'The entity manager') });
    };
    await this.database.transaction(work, { ...OWN_TRANSACTION, mutex: lock.name, shared: true });
    this.cached = null;
  }

  private needed(): WebhookTable {
    if (this.table === null)
      throw new ContentError(
        'ForbiddenError',
        'Webhooks can be stored once webhookType is among the content types',
      );
    return this.table;
  }
}
