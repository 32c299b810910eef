import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import slugify from '@sindresorhus/slugify';
import { checkGrants } from '../../content/access/check-grants.js';
import {
  ContentAccess,
  type PermissionsSource,
  type RoleGrants,
} from '../../content/access/content-access.js';
import { type Grants, Permissions } from '../../content/access/permissions.js';
import { locksOfDelete } from '../../content/plan/locks.js';
import { ContentError, notFound, validationError } from '../../kernel/errors.js';
import { checkedAs, isCount, isNullOr, isShape, isText, type Tests } from '../../kernel/json.js';
import { present } from '../../kernel/present.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { lockStatements } from '../../pool/locks.js';
import { AccountTables } from './account-tables.js';
import { applyTree, type PermissionTree, type TreeBase } from './permission-tree.js';

export interface Role {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly description: string | null;
  /** Grant name: `authenticated`, `public`, `editor`. */
  readonly type: string;
  /** ISO 8601 time in UTC, with milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
}

export interface RoleInput {
  readonly name?: string;
  readonly description?: string | null;
  readonly type?: string;
  readonly permissions?: PermissionTree;
}

interface Stored extends Role {
  readonly grants: Grants;
}

interface RoleRow extends Role {
  readonly grants: string | null;
}

const STORED: Tests<RoleRow> = {
  id: isCount,
  documentId: isText,
  name: isText,
  description: isNullOr(isText),
  type: isText,
  grants: isNullOr(isText),
  createdAt: isText,
  updatedAt: isText,
  publishedAt: isNullOr(isText),
};
const COLUMNS = Object.keys(STORED);
const isRoleRow = isShape(STORED);
const DEFAULTS: Readonly<Record<string, string>> = {
  authenticated: 'Default role given to authenticated user.',
  public: 'Default role given to unauthenticated user.',
};

const titled = (type: string): string => type.charAt(0).toUpperCase() + type.slice(1);

/**
 * Roles of the database, and a source of grants. Creates the default roles and those that the code names if
 * they are missing.
 */
@Injectable()
export class Roles implements PermissionsSource, OnModuleInit {
  private types: ReadonlyMap<string, string> = new Map();

  constructor(
    @Inject(AccountTables) private readonly tables: AccountTables,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
  ) {}

  onModuleInit(): void {
    this.access.addSource(this);
  }

  async load(): Promise<RoleGrants> {
    let roles = await this.all();
    const missing = [...new Set([...Object.keys(DEFAULTS), ...this.access.roles])].filter(
      (type) => !roles.some((role) => role.type === type),
    );
    if (missing.length > 0) {
      for (const type of missing)
        await this.make({ name: titled(type), description: DEFAULTS[type] ?? null, type }).catch(ignoreTaken);
      roles = await this.all();
    }
    this.types = new Map(roles.map(({ documentId, type }) => [documentId, type]));
    return Object.fromEntries(roles.map(({ type, grants }) => [type, grants]));
  }

  /** Returns the grant name of a role. An unknown role is loaded, because it may be new. */
  async typeOf(documentId: string | null): Promise<string | null> {
    if (documentId === null) return null;
    if (!this.types.has(documentId)) await this.load();
    return this.types.get(documentId) ?? null;
  }

  /** Returns the role with a grant name. Throws the protocol's error if it does not exist (19.7). */
  async named(type: string): Promise<Role> {
    const find = async (): Promise<Role | undefined> => (await this.all()).find((role) => role.type === type);
    const role = (await find()) ?? (await this.load().then(find));
    if (role === undefined) throw new ContentError('ApplicationError', 'Impossible to find the default role');
    return role;
  }

  /** Returns all roles with their grants, in order of creation. */
  async all(): Promise<Stored[]> {
    const rows = await this.tables.roles.records.all(COLUMNS);
    return rows.map((one) => {
      const row = checkedAs(one, isRoleRow, 'A stored role');
      return { ...row, grants: row.grants === null ? {} : ((JSON.parse(row.grants) as Grants | null) ?? {}) };
    });
  }

  /** Returns a role by its row id or document id. Throws NotFoundError. */
  async one(id: string): Promise<Stored> {
    const role = (await this.all()).find((item) => String(item.id) === id || item.documentId === id);
    if (role === undefined) throw notFound();
    return role;
  }

  sizes(): Promise<ReadonlyMap<unknown, number>> {
    return this.tables.users.records.countBy('role');
  }

  /** Throws a ValidationError for a role without a name or type, or with a taken type. */
  async create(input: RoleInput): Promise<void> {
    const name = input.name ?? '';
    const type = input.type ?? slugify(name);
    const missing = (key: string): ContentError =>
      validationError(`${key} is a required field`, { key, path: key, source: 'body' });
    if (name === '') throw missing('name');
    // The slug is empty if the name's script has no Latin spelling.
    if (type === '') throw missing('type');
    await this.make({
      name,
      description: input.description ?? null,
      type,
      grants: this.grantsFrom(input, { stored: {}, shown: Permissions.of({}) }) ?? {},
    });
    this.access.refresh();
  }

  /** Changes only what the input names, because other requests may change the rest at the same time. */
  async update(id: string, input: RoleInput): Promise<void> {
    // Grants that another instance has changed must not count as changes of this tree.
    this.access.refresh();
    const role = await this.one(id);
    const shown = await this.access.grantedTo(role.type);
    const grants = this.grantsFrom(input, { stored: role.grants, shown });
    const { name, description } = input;
    await this.tables.roles.documents.update(role.documentId, {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(grants === null ? {} : { grants }),
    });
    this.access.refresh();
  }

  /**
   * Deletes a role and moves its users to the public role (protocol 19.20). One statement moves them all,
   * because there may be many. Hooks therefore see only the role, as for every deleted target of relations.
   * The locks of the deletion keep the role from other users until it is deleted.
   */
  async remove(id: string): Promise<void> {
    const { users, roles } = this.tables;
    const role = await this.one(id);
    if (role.type === 'public') throw validationError('Cannot delete public role');
    const { documentId } = await this.named('public');
    await this.tables.transaction(async (runner) => {
      await runner.all(lockStatements(locksOfDelete({ type: roles.type, documentId: role.documentId })));
      const em = present(runner.em, 'The entity manager');
      await users.records.set({ role: role.documentId }, { role: documentId }, em);
      await roles.documents.delete(role.documentId, {}, { em });
    });
    this.access.refresh();
  }

  /** Returns the grants of a body. Throws a ValidationError for wrong ones. */
  private grantsFrom({ permissions }: RoleInput, base: TreeBase): Grants | null {
    if (permissions === undefined) return null;
    const { grants, added } = applyTree(permissions, this.schema, base);
    const [mistake] = checkGrants(added, this.access.rules, 'permissions');
    if (mistake === undefined) return grants;
    throw validationError(mistake, { key: 'permissions', path: 'permissions', source: 'body' });
  }

  private async make(values: {
    readonly name: string;
    readonly type: string;
    readonly description: string | null;
    readonly grants?: Grants;
  }): Promise<void> {
    await this.tables.roles.documents.create(values);
  }
}

/** Ignores the error if another instance created the role first. */
function ignoreTaken(error: unknown): void {
  if (!(error instanceof ContentError)) throw error;
}
