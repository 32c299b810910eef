/** Who asks, and what they may do: the strategies, the roles, and where grants come from. */
import QuickLRU from 'quick-lru';
import type { Schema } from '../schema/model.js';
import { type AuthStrategy, type Credentials, type Identity, recognise } from './auth-strategy.js';
import { type Caller, publicCaller } from './caller.js';
import { ACTIONS, checkGrants, type Grant, type Grants, Permissions } from './permissions.js';

/** Grants by the name of a role. `public` is the role of requests without a credential. */
export type RoleGrants = Readonly<Record<string, Grants>>;

/**
 * Grants that are kept outside the code, in a database for example, and may change while the application
 * runs. They add to those in `access.public` and `access.roles`.
 *
 * @publicApi
 */
export interface PermissionsSource {
  /**
   * The grants of every role. Asked at most once in `access.maxAge`, however many requests wait for the
   * answer. Grants that name a type, action or attribute which does not exist are left out with a warning.
   */
  load(): Promise<RoleGrants>;
}

/** What {@link ContentAccess} is made of. */
export interface AccessBase {
  readonly schema: Schema;
  readonly strategies: readonly AuthStrategy[];
  /** The grants in code, `public` among them. */
  readonly roles: RoleGrants;
  readonly sources: readonly PermissionsSource[];
  /** How long grants from sources are good for, in milliseconds. */
  readonly maxAge: number;
  readonly warn: (message: string) => void;
}

/** How many combinations of roles keep their rights, at least, and at most twice as many. */
const COMBINATIONS = 500;

/** The grants as they are at one time. */
interface Known {
  readonly at: number;
  /** Of each role, from code and from all sources; roles that nothing is granted to are not among them. */
  readonly grants: ReadonlyMap<string, readonly Grants[]>;
  /** Rights by the names of roles, sorted. */
  readonly rights: QuickLRU<string, Permissions>;
  /** Requests without a credential; made when the first one comes. */
  nobody: Caller | null;
}

function knownOf(at: number, sources: readonly RoleGrants[]): Known {
  const grants = new Map<string, Grants[]>();
  for (const [role, granted] of sources.flatMap((source) => Object.entries(source))) {
    if (Object.keys(granted).length > 0) grants.set(role, [...(grants.get(role) ?? []), granted]);
  }
  return { at, grants, rights: new QuickLRU({ maxSize: COMBINATIONS }), nobody: null };
}

/**
 * The one place that turns a credential into a {@link Caller}. Inject it to act for a role in the host's own
 * code, to add a strategy from another module, or to make changed grants count at once.
 *
 * @example
 * const editor = await access.callerOf({ kind: 'user', id: '42', roles: ['editor'] });
 * await articles.update(documentId, { title }, {}, { as: editor });
 *
 * @publicApi
 */
export class ContentAccess {
  private readonly strategies: AuthStrategy[];
  private varies: string;
  private readonly sources: PermissionsSource[];
  private readonly warned = new Set<string>();
  private known: Known | null = null;
  private loading: Promise<Known> | null = null;
  private generation = 0;

  constructor(private readonly base: AccessBase) {
    this.strategies = [...base.strategies];
    this.varies = varyOf(this.strategies);
    this.sources = [...base.sources];
  }

  /** Adds a strategy after those of the options. */
  addStrategy(strategy: AuthStrategy): void {
    this.strategies.push(strategy);
    this.varies = varyOf(this.strategies);
  }

  /** The request headers that decide who a caller is, as `Vary` lists them. */
  get vary(): string {
    return this.varies;
  }

  /** Adds a source of grants. */
  addSource(source: PermissionsSource): void {
    this.sources.push(source);
    this.refresh();
  }

  /** The roles that code names, `public` among them. */
  get roles(): readonly string[] {
    return Object.keys(this.base.roles);
  }

  /** Whether no request can be granted anything: no role has a grant, and nothing else can give one. */
  get isClosed(): boolean {
    const granted = Object.values(this.base.roles).some((grants) => Object.keys(grants).length > 0);
    return !granted && this.strategies.length === 0 && this.sources.length === 0;
  }

  /** Forgets the grants that sources gave, so that the next request asks for them again. */
  refresh(): void {
    this.generation += 1;
    this.known = null;
    this.loading = null;
  }

  /**
   * The caller of a request. Throws UnauthorizedError for a credential that is bad or expired, and for a
   * bearer token that no strategy knows; there is no fall-back to public rights (protocol 18.3, 18.6).
   */
  authenticate(credentials: Credentials): Caller | Promise<Caller> {
    if (this.strategies.length === 0 && credentials.bearer === null) return this.anybody();
    return recognise(this.strategies, credentials).then((identity) =>
      identity === null ? this.anybody() : this.callerOf(identity),
    );
  }

  /** Requests without a credential; at once where their rights are known, which is nearly always. */
  private anybody(): Caller | Promise<Caller> {
    const known = this.current();
    return known instanceof Promise ? known.then((loaded) => this.publicOf(loaded)) : this.publicOf(known);
  }

  private publicOf(known: Known): Caller {
    return (known.nobody ??= publicCaller(this.rightsIn(known, ['public'])));
  }

  /** A caller with the rights of its roles. */
  async callerOf(identity: Identity): Promise<Caller> {
    if ('permissions' in identity) return identity;
    return Object.freeze({ ...identity, permissions: await this.permissionsOf(identity.roles) });
  }

  /**
   * What roles may do together. A role that nothing is granted to, or that does not exist, may do nothing.
   */
  async permissionsOf(roles: readonly string[]): Promise<Permissions> {
    return this.rightsIn(await this.current(), roles);
  }

  /** What is granted to roles together. Their order, and names that mean nothing here, make no difference. */
  private rightsIn({ grants, rights }: Known, roles: readonly string[]): Permissions {
    const named = [...new Set(roles)].filter((role) => grants.has(role)).sort();
    const key = JSON.stringify(named);
    const known = rights.get(key);
    if (known !== undefined) return known;
    const made = Permissions.of(...named.flatMap((role) => grants.get(role) ?? []));
    rights.set(key, made);
    return made;
  }

  /** Grants as they are known now: in code for ever, from sources for `maxAge`. */
  private current(): Known | Promise<Known> {
    if (this.known === null && this.sources.length === 0) this.known = knownOf(0, [this.base.roles]);
    if (
      this.known !== null &&
      (this.sources.length === 0 || performance.now() - this.known.at <= this.base.maxAge)
    )
      return this.known;
    if (this.loading !== null) return this.loading;
    const { generation } = this;
    const loading = this.load().then(
      (known) => {
        if (generation === this.generation) [this.known, this.loading] = [known, null];
        return known;
      },
      (error: unknown) => {
        if (generation === this.generation) this.loading = null;
        throw error;
      },
    );
    this.loading = loading;
    return loading;
  }

  private async load(): Promise<Known> {
    const at = performance.now();
    const loaded = await Promise.all(this.sources.map((source) => source.load()));
    return knownOf(at, [this.base.roles, ...loaded.map((roles) => this.valid(roles))]);
  }

  /** Leaves out what does not exist (any more), so that it cannot come to mean something else later. */
  private valid(roles: RoleGrants): RoleGrants {
    const { schema } = this.base;
    return Object.fromEntries(
      Object.entries(this.object(roles, 'the roles')).map(([role, grants]) => {
        const entries = Object.entries(this.object(grants, `role "${role}"`) as Grants).flatMap(
          ([type, list]): [string, readonly Grant[]][] => {
            const listed: readonly Grant[] | null = Array.isArray(list) ? list : null;
            if (list !== '*' && listed === null)
              this.passes([`role "${role}".${type}: expected "*" or a list of grants`]);
            const items: readonly Grant[] = list === '*' ? ACTIONS : (listed ?? []);
            return [
              [
                type,
                items.filter((grant) =>
                  this.passes(checkGrants({ [type]: [grant] }, schema, `role "${role}"`)),
                ),
              ],
            ];
          },
        );
        return [role, Object.fromEntries(entries.filter(([, list]) => list.length > 0))];
      }),
    );
  }

  /** What a source gave where an object has to be; nothing for anything else. */
  private object(value: unknown, where: string): object {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    this.passes([`${where}: expected an object`]);
    return {};
  }

  private passes(mistakes: readonly string[]): boolean {
    for (const mistake of mistakes) {
      if (!this.warned.has(mistake)) this.base.warn(`A grant is left out: ${mistake}`);
      this.warned.add(mistake);
    }
    return mistakes.length === 0;
  }
}

const varyOf = (strategies: readonly AuthStrategy[]): string =>
  [...new Set(['Authorization', ...strategies.flatMap(({ vary = [] }) => vary)])].join(', ');
