/** Callers and permissions: strategies, roles and sources of grants. */
import { LRUCache } from 'lru-cache';
import type { Schema } from '../model/model.js';
import { type AuthStrategy, type Credentials, type Identity, recognise } from './auth-strategy.js';
import { type Caller, publicCaller } from './caller.js';
import { among } from '../model/suggest.js';
import { checkGrants, type DataPart, type GrantRules } from './check-grants.js';
import { attributesIn } from './data-conditions.js';
import { explain, type ExplainedAction } from './explain.js';
import { Tenants } from './tenants.js';
import { actionsOn } from './actions.js';
import { type Grant, type Grants, Permissions } from './permissions.js';

export type RoleGrants = Readonly<Record<string, Grants>>;

/**
 * Grants stored outside the code, in a database for example, which may change at run time. They add to the
 * grants in `access.public` and `access.roles`.
 *
 * @publicApi
 */
export interface PermissionsSource {
  /**
   * Returns the grants of every role. Called at most once per `access.maxAge`, for any number of waiting
   * requests. Grants with an unknown type, action or attribute are ignored with a warning.
   */
  load(): Promise<RoleGrants>;
}

export interface AccessBase {
  readonly schema: Schema;
  readonly strategies: readonly AuthStrategy[];
  readonly roles: RoleGrants;
  readonly sources: readonly PermissionsSource[];
  /** Lifetime of grants from sources, in milliseconds. */
  readonly maxAge: number;
  readonly warn: (message: string) => void;
  /** Checks a condition or preset as JSON: returns an error text, or null. */
  readonly check: (data: DataPart) => string | null;
}

/** Size of the LRU cache of permissions by combination of roles. */
const COMBINATIONS = 500;

interface LoadedGrants {
  readonly at: number;
  /** Names of all roles, also of those without grants. */
  readonly names: ReadonlySet<string>;
  readonly grants: ReadonlyMap<string, readonly Grants[]>;
  readonly rights: LRUCache<string, Permissions>;
  anonymous: Caller | null;
}

function loadedGrantsOf(at: number, sources: readonly RoleGrants[]): LoadedGrants {
  const grants = new Map<string, Grants[]>();
  for (const [role, granted] of sources.flatMap((source) => Object.entries(source))) {
    if (Object.keys(granted).length > 0) grants.set(role, [...(grants.get(role) ?? []), granted]);
  }
  const names = new Set(sources.flatMap((source) => Object.keys(source)));
  return { at, names, grants, rights: new LRUCache({ max: COMBINATIONS }), anonymous: null };
}

/**
 * Converts credentials to a {@link Caller}. Inject it to act for a role in the host's own code, to add a
 * strategy from another module, or to apply changed grants immediately.
 *
 * @example
 * const editor = await access.callerOf({ kind: 'user', id: '42', roles: ['editor'] });
 * await articles.update(documentId, { title }, {}, { as: editor });
 *
 * @publicApi
 */
export class ContentAccess {
  private readonly strategies: AuthStrategy[];
  private readonly tenants: Tenants;
  private varies: string;
  private readonly sources: PermissionsSource[];
  private readonly warned = new Set<string>();
  private loaded: LoadedGrants | null = null;
  private loading: Promise<LoadedGrants> | null = null;
  private generation = 0;

  constructor(private readonly base: AccessBase) {
    this.tenants = new Tenants(base.schema);
    this.strategies = [...base.strategies];
    this.varies = varyOf(this.strategies);
    this.sources = [...base.sources];
  }

  /** Adds a strategy after those of the options. */
  addStrategy(strategy: AuthStrategy): void {
    this.strategies.push(strategy);
    this.varies = varyOf(this.strategies);
  }

  /** Request headers that identify a caller, as a `Vary` value. */
  get vary(): string {
    return this.varies;
  }

  /** Rules of grants from outside the code. */
  get rules(): GrantRules {
    const { schema, check } = this.base;
    return { schema, check: (part) => this.unknownAttribute(part) ?? check(part) };
  }

  /** Returns an error for an attribute of callers that no strategy has, if all strategies list theirs. */
  private unknownAttribute({ data }: DataPart): string | null {
    const listed = this.strategies.map(({ attributes }) => attributes);
    if (listed.includes(undefined)) return null;
    const attributes = listed.flatMap((names) => names ?? []);
    const unknown = attributesIn(data).find((name) => !attributes.includes(name));
    return unknown === undefined
      ? null
      : `"${unknown}" is not an attribute of users${among(unknown, attributes)}`;
  }

  /** Adds a source of grants. */
  addSource(source: PermissionsSource): void {
    this.sources.push(source);
    this.refresh();
  }

  /** Role names in code, including `public`. */
  get roles(): readonly string[] {
    return Object.keys(this.base.roles);
  }

  /** Grants of a role in code; none for other roles. */
  grantsInCode(role: string): Grants {
    const { roles } = this.base;
    return Object.hasOwn(roles, role) ? (roles[role] ?? {}) : {};
  }

  /** Whether no request can have permissions: there are no grants, strategies or sources. */
  get isClosed(): boolean {
    const granted = Object.values(this.base.roles).some((grants) => Object.keys(grants).length > 0);
    return !granted && this.strategies.length === 0 && this.sources.length === 0;
  }

  /** Discards the cached grants of sources, so that the next request loads them again. */
  refresh(): void {
    this.generation += 1;
    this.loaded = null;
    this.loading = null;
  }

  /**
   * Returns the caller of a request. Throws UnauthorizedError for an invalid or expired credential, and for a
   * bearer token that no strategy recognises. Such requests never get public permissions (protocol 18.3,
   * 18.6).
   */
  authenticate(credentials: Credentials): Caller | Promise<Caller> {
    if (this.strategies.length === 0 && credentials.bearer === null) return this.publicCallerNow();
    return recognise(this.strategies, credentials).then((identity) =>
      identity === null ? this.publicCallerNow() : this.callerOf(identity),
    );
  }

  private publicCallerNow(): Caller | Promise<Caller> {
    const current = this.current();
    return current instanceof Promise
      ? current.then((loaded) => this.publicOf(loaded))
      : this.publicOf(current);
  }

  private publicOf(loaded: LoadedGrants): Caller {
    return (loaded.anonymous ??= publicCaller(this.rightsIn(loaded, ['public'])));
  }

  /** Returns a caller with the permissions of its roles. */
  async callerOf(identity: Identity): Promise<Caller> {
    if ('permissions' in identity) {
      const permissions = this.within(identity.permissions);
      return permissions === identity.permissions ? identity : Object.freeze({ ...identity, permissions });
    }
    return Object.freeze({ ...identity, permissions: await this.permissionsOf(identity.roles) });
  }

  /** Returns the combined permissions of roles. Unknown roles and roles without grants add nothing. */
  async permissionsOf(roles: readonly string[]): Promise<Permissions> {
    return this.rightsIn(await this.current(), roles);
  }

  /** Whether the code or a source names a role. */
  async hasRole(role: string): Promise<boolean> {
    return (await this.current()).names.has(role);
  }

  /**
   * Explains what a caller may do with a content type: for each action the documents, attributes and
   * conditions, and the reason of a refusal. For developers: do not send it to clients. Throws an Error for
   * an unknown type.
   */
  explain(caller: Caller, singularApiId: string): readonly ExplainedAction[] {
    const type = this.base.schema.types.get(singularApiId);
    if (type === undefined) throw new Error(`"${singularApiId}" is not a content type`);
    return explain(caller, type);
  }

  /** Returns the permissions of a role as they were granted, without the limits of tenants: to show them. */
  async grantedTo(role: string): Promise<Permissions> {
    const { grants } = await this.current();
    return Permissions.of(...(grants.get(role) ?? []));
  }

  /** Returns permissions within the tenant of their caller. */
  within(permissions: Permissions): Permissions {
    return this.tenants.within(permissions);
  }

  private rightsIn({ grants, rights }: LoadedGrants, roles: readonly string[]): Permissions {
    const named = [...new Set(roles)].filter((role) => grants.has(role)).sort();
    const key = JSON.stringify(named);
    const cached = rights.get(key);
    if (cached !== undefined) return cached;
    const permissions = this.within(Permissions.of(...named.flatMap((role) => grants.get(role) ?? [])));
    rights.set(key, permissions);
    return permissions;
  }

  /** Returns the current grants: those in code are permanent, those from sources expire after `maxAge`. */
  private current(): LoadedGrants | Promise<LoadedGrants> {
    if (this.loaded === null && this.sources.length === 0) this.loaded = loadedGrantsOf(0, [this.base.roles]);
    if (
      this.loaded !== null &&
      (this.sources.length === 0 || performance.now() - this.loaded.at <= this.base.maxAge)
    )
      return this.loaded;
    if (this.loading !== null) return this.loading;
    const { generation } = this;
    const loading = this.load().then(
      (loaded) => {
        if (generation === this.generation) [this.loaded, this.loading] = [loaded, null];
        return loaded;
      },
      (error: unknown) => {
        if (generation === this.generation) this.loading = null;
        throw error;
      },
    );
    this.loading = loading;
    return loading;
  }

  private async load(): Promise<LoadedGrants> {
    const at = performance.now();
    const loaded = await Promise.all(this.sources.map((source) => source.load()));
    return loadedGrantsOf(at, [this.base.roles, ...loaded.map((roles) => this.valid(roles))]);
  }

  /** Removes grants with unknown names, so that a later model cannot give them another meaning. */
  private valid(roles: RoleGrants): RoleGrants {
    return Object.fromEntries(
      Object.entries(this.object(roles, 'the roles')).map(([role, grants]) => {
        const entries = Object.entries(this.object(grants, `role "${role}"`) as Grants).flatMap(
          ([type, list]): [string, readonly Grant[]][] => {
            const listed: readonly Grant[] | null = Array.isArray(list) ? list : null;
            if (list !== '*' && listed === null)
              this.passes([`role "${role}".${type}: expected "*" or a list of grants`]);
            const items: readonly Grant[] = list === '*' ? actionsOn(type) : (listed ?? []);
            return [
              [
                type,
                items.filter((grant) =>
                  this.passes(checkGrants({ [type]: [grant] }, this.rules, `role "${role}"`)),
                ),
              ],
            ];
          },
        );
        return [role, Object.fromEntries(entries.filter(([, list]) => list.length > 0))];
      }),
    );
  }

  /**
   * Returns a value of a source that must be an object; an empty object, with a warning, for other values.
   */
  private object(value: unknown, where: string): object {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    this.passes([`${where}: expected an object`]);
    return {};
  }

  private passes(mistakes: readonly string[]): boolean {
    for (const mistake of mistakes) {
      if (!this.warned.has(mistake)) this.base.warn(`Ignored grant: ${mistake}`);
      this.warned.add(mistake);
    }
    return mistakes.length === 0;
  }
}

const varyOf = (strategies: readonly AuthStrategy[]): string =>
  [...new Set(['Authorization', ...strategies.flatMap(({ vary = [] }) => vary)])].join(', ');
