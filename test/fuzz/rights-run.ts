/** Writes of callers whose grants have conditions, and the versions that each of them changes. */
import { isDeepStrictEqual } from 'node:util';
import { ContentError, type ContentService, getContentToken } from 'nestjs-content-api';
import { EventsModule } from 'nestjs-content-api/events';
import { AuditModule, HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { type BusyApp, startBusy } from '../concurrency/app.ts';
import { lookUntil } from '../support/look-until.ts';
import { Approvals } from './rights-approvals.ts';
import { type Action, byHeader, type Caller, covers, grantsOf, ROLES } from './rights-callers.ts';
import { brokenConstraints } from './rights-constraints.ts';
import { HookNotes, hooksFor } from './rights-hooks.ts';
import { type Change, entriesAfter, lastEntry, unloggedIn } from './rights-logs.ts';
import {
  components,
  contentTypes,
  hasDrafts,
  hasLocales,
  isConstrained,
  PLURALS,
  type TypeName,
  TYPES,
  type Version,
} from './rights-model.ts';
import {
  ACTIONS_OF,
  type Body,
  isDeferred,
  OF_DRAFTS,
  type Scenario,
  stepsOf,
  type Write,
} from './rights-scenarios.ts';

const keyOf = ({ documentId, locale, published }: Version): string =>
  `${documentId} ${locale} ${published ? 'published' : 'draft'}`;

type Versions = ReadonlyMap<string, Version>;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Routes of the verbs that bulk requests have, too. */
const ROUTES = {
  create: ['POST', () => ''],
  update: ['PUT', (id: string) => `/${id}`],
  delete: ['DELETE', (id: string) => `/${id}`],
  publish: ['POST', (id: string) => `/${id}/actions/publish`],
  unpublish: ['POST', (id: string) => `/${id}/actions/unpublish`],
  discard: ['POST', (id: string) => `/${id}/actions/discard`],
} as const;
type Single = keyof typeof ROUTES;

/** A write of a caller, on its way. */
interface About {
  readonly one: Write;
  readonly type: TypeName;
  readonly id: string;
  readonly send: (sent: Sent) => Promise<{ readonly status: number; readonly body: any }>;
}

/** Actions that must cover a changed version. */
const actionsOn = ({ verb }: Write, version: Version | undefined): readonly Action[] => {
  const actions = ACTIONS_OF[verb];
  const needsPublish = version?.type === 'report' && version.published;
  return needsPublish ? [...new Set([...actions, 'publish'] as const)] : actions;
};

/** Changed attributes of a draft that are not granted. Publishing copies the whole draft. */
function deniedIn(before?: Version, after?: Version, fields?: readonly string[]): readonly string[] {
  if (fields === undefined || before === undefined || after === undefined) return [];
  if (after.published && hasDrafts(after.type)) return [];
  const names = Object.keys(after) as (keyof Version)[];
  // The stage is set by the library.
  const allowed = [...fields, 'stage'];
  return names.filter((name) => !allowed.includes(name) && !isDeepStrictEqual(before[name], after[name]));
}

/** Versions that a write changed, by key. */
const changesOf = (was: Versions, now: Versions): ReadonlyMap<string, Change> =>
  new Map(
    [...new Set([...was.keys(), ...now.keys()])]
      .map((key): [string, Change] => [key, [was.get(key), now.get(key)]])
      .filter(([, [before, after]]) => !isDeepStrictEqual(before, after)),
  );

export class RightsFuzz {
  /** Requests by status, and those that changed something. */
  readonly statuses: Record<number, number> = {};
  changing = 0;
  private teams: readonly string[] = [];
  private tags: readonly string[] = [];
  private seals: readonly string[] = [];
  private url = '';
  /** Path of the last release that was published. */
  private released: string | null = null;
  private readonly app: BusyApp;

  private readonly hooks: HookNotes;

  private constructor(app: BusyApp, hooks: HookNotes) {
    this.app = app;
    this.hooks = hooks;
  }

  static async open(): Promise<RightsFuzz> {
    const hooks = new HookNotes();
    const app = await startBusy({
      providers: hooksFor(hooks),
      contentTypes: contentTypes,
      components,
      access: {
        roles: Object.fromEntries(Object.entries(ROLES).map(([name, role]) => [name, grantsOf(role)])),
      },
      auth: { strategies: [byHeader] },
      schedule: { everySeconds: 0.03 },
      locales: ['en', 'de'],
      modules: [
        HistoryModule.forRoot({ sittingMinutes: 0 }),
        ReleasesModule.forRoot(),
        EventsModule.forRoot(),
        AuditModule.forRoot(),
      ],
    });
    const fuzz = new RightsFuzz(app, hooks);
    fuzz.url = await app.app.getUrl();
    const make = async (type: string, name: string): Promise<string> =>
      String((await fuzz.service(type).create({ name })).documentId);
    fuzz.teams = [await make('team', 'red'), await make('team', 'blue')];
    fuzz.seals = [await make('seal', 'first'), await make('seal', 'second')];
    fuzz.tags = [await make('tag', 'free'), await make('tag', 'locked')];
    return fuzz;
  }

  /** Queries or changes the tables. */
  sql = (text: string): Promise<Record<string, any>[]> => this.app.sql(text);

  close(): Promise<void> {
    return this.app.close();
  }

  /** Runs a scenario on a new document. Throws if a write changes a version that no grant covers. */
  async run(scenario: Scenario): Promise<void> {
    const { type, org } = scenario;
    const ids = [await this.create(type, org)];
    try {
      await this.runOn(ids, scenario);
    } finally {
      // Its values could not be used again.
      if (isConstrained(type)) for (const id of ids) await this.remove(type, id);
    }
  }

  private async runOn(ids: string[], { type, org, before, caller, writes }: Scenario): Promise<void> {
    ids.push(await this.createOther(type, org));
    const approvals = new Approvals();
    approvals.add((await this.versions(ids)).values());
    for (const one of before) {
      await this.prepare(one, type, ids[0] as string);
      approvals.add((await this.versions(ids)).values());
    }
    const log = [JSON.stringify(before), JSON.stringify(caller)];
    const isPossible = ({ verb }: Write): boolean => hasDrafts(type) || !OF_DRAFTS.includes(verb);
    for (const one of writes.filter(isPossible).flatMap(stepsOf)) {
      const was = await this.versions(ids);
      const last = await lastEntry(this.sql);
      this.hooks.clear();
      const status = await this.perform(one, { type, caller, ids, log });
      this.statuses[status] = (this.statuses[status] ?? 0) + 1;
      const now = await this.versions(ids);
      const changes = changesOf(was, now);
      const logs = new Map([...(await entriesAfter(this.sql, last)), ...this.hooks.logsOf(type)]);
      const problems = [
        ...this.problemsOf(changes, { one, caller, status, approvals }),
        ...brokenConstraints([...now.values()]),
        // A write of an inverse side is an entry of its own document only.
        ...(one.verb === 'tag' ? [] : unloggedIn(logs, [...changes.values()])),
      ];
      approvals.add(now.values());
      if (problems.length > 0) throw new Error([...log, ...problems].join('\n  '));
    }
  }

  /** Creates a document with other values, in both languages. */
  private async createOther(type: TypeName, org: string): Promise<string> {
    const [, seal] = this.seals;
    const id = await this.create(type, org, { title: 'y', kind: 'closed', topic: 'b', seal });
    const translation = { title: 'x', kind: 'open', ...(type === 'story' ? { stage: 'read' } : {}) };
    if (hasLocales(type)) await this.service(type).update(id, translation, { locale: 'de' });
    return id;
  }

  private async remove(type: TypeName, id: string): Promise<void> {
    try {
      await this.service(type).delete(id, { locale: '*' });
    } catch (error) {
      if (!(error instanceof ContentError) || error.status !== 404) throw error;
    }
  }

  private service(type: string): ContentService {
    return this.app.app.get<ContentService>(getContentToken(type), { strict: false });
  }

  /** Creates a published document as the application. */
  private async create(
    type: TypeName,
    org: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const service = this.service(type);
    const values = { title: 'x', kind: 'open', topic: 'a', parts: [{ text: 'p' }], ...more };
    const made = await service.create(
      type === 'memo' ? { ...values, org } : values,
      type === 'story' ? { status: 'draft' } : {},
    );
    const id = String(made.documentId);
    if (type === 'story') await service.update(id, { stage: 'read' });
    return id;
  }

  /** Writes as the application. What it refuses is left out. */
  private async prepare({ verb, locale, draft, body: given }: Write, type: TypeName, id: string) {
    const place = hasLocales(type) && (locale !== '*' || verb !== 'update') ? { locale } : {};
    const service = this.service(type);
    const status = hasDrafts(type) && draft ? { status: 'draft' } : {};
    try {
      if (verb === 'delete') await service.delete(id, place);
      else if (verb === 'update') await service.update(id, this.data(type, given), { ...place, ...status });
      else if (hasDrafts(type)) await service.unpublish(id, place);
    } catch (error) {
      if (!(error instanceof ContentError) || error.status >= 500) throw error;
    }
  }

  private data(
    type: TypeName,
    { team, seal, tags, connect, parts, stage, ...values }: Body,
  ): Record<string, unknown> {
    const targets = (tags ?? []).map((n) => this.tags[n]);
    return {
      ...values,
      ...(stage === undefined || type !== 'story' ? {} : { stage }),
      ...(team === undefined ? {} : { team: this.teams[team] }),
      ...(seal === undefined ? {} : { seal: this.seals[seal] }),
      ...(tags === undefined ? {} : { tags: connect === true ? { connect: targets } : targets }),
      ...(parts === undefined ? {} : { parts: parts.map((text) => ({ text })) }),
    };
  }

  private async versions(ids: readonly string[]): Promise<Versions> {
    const found = new Map<string, Version>();
    const teamName = (id: unknown): string | null =>
      id === null ? null : id === this.teams[0] ? 'red' : 'blue';
    for (const type of TYPES) {
      const table = PLURALS[type];
      const rows = await this.app.sql(
        `select v.document_id, v.locale, v.published, v.title, v.kind, v.topic, v.team_document_id, v.parts,
           v.seal_document_id as seal,
           to_jsonb(v) ->> 'stage' as stage, to_jsonb(v) ->> 'org' as org,
           (select coalesce(json_agg(l.target_document_id order by l.position), '[]') from ${table}_tags_links l
            where l.owner_document_id = v.document_id and l.published = v.published
              and l.locale in ('', v.locale)) as tags
         from ${table} v where v.document_id = any($1)`,
        [ids],
      );
      for (const row of rows) {
        const version: Version = {
          type,
          documentId: row['document_id'],
          ...{ locale: row['locale'], published: row['published'], title: row['title'] },
          ...{ kind: row['kind'], topic: row['topic'], stage: row['stage'], org: row['org'] },
          team: teamName(row['team_document_id']),
          seal: row['seal'],
          tags: row['tags'].map((id: string) => (id === this.tags[0] ? 'free' : 'locked')),
          parts: (row['parts'] ?? []).map(({ text }: { text: string }) => text),
        };
        found.set(keyOf(version), version);
      }
    }
    return found;
  }

  private problemsOf(
    changes: ReadonlyMap<string, Change>,
    {
      one,
      caller,
      status,
      approvals,
    }: {
      readonly one: Write;
      readonly caller: Caller;
      readonly status: number;
      readonly approvals: Approvals;
    },
  ): string[] {
    if (status >= 500) return [`the status is ${status}`];
    if (status >= 400) return [...changes.keys()].map((key) => `refused, but ${key} has changed`);
    if (changes.size > 0) this.changing += 1;
    return [...changes].flatMap(([key, [before, after]]) => {
      const uncovered = actionsOn(one, before ?? after).flatMap((action) =>
        [before, ...(isDeferred(one) ? [] : [after])].flatMap((version) =>
          version === undefined || covers(caller, action, version)
            ? []
            : [`${key} has changed, but "${action}" does not cover ${JSON.stringify(version)}`],
        ),
      );
      const denied = deniedIn(before, after, ROLES[caller.role]?.fields);
      const isMissing =
        ROLES[caller.role]?.moves !== true && after !== undefined && approvals.areMissing(after);
      return [
        ...uncovered,
        ...(isMissing ? [`${key} has changed to ${JSON.stringify(after)}, which is not approved`] : []),
        ...denied.map((name) => `${key} has changed in "${name}", which is not granted`),
      ];
    });
  }

  private async perform(
    one: Write,
    { type, caller, ids, log }: { type: TypeName; caller: Caller; ids: string[]; log: string[] },
  ): Promise<number> {
    const send = async ({ method, path, body: sent }: Sent): Promise<{ status: number; body: any }> => {
      const response = await fetch(`${this.url}/api/${path}`, {
        method,
        headers: {
          'x-who': `${caller.role} ${caller.first} ${caller.second}`,
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      });
      const text = await response.text();
      log.push(`${method} ${path} ${JSON.stringify(sent) ?? ''} → ${response.status}`);
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    };
    const about = { one, type, id: ids[0] as string, send };
    const others: Partial<Record<Write['verb'], () => Promise<number>>> = {
      tag: () => this.tagDocuments(about, ids),
      release: () => this.release(about),
      undo: () => this.undo(about),
      restore: () => this.restore(about),
      schedule: () => this.schedule(about),
    };
    const other = others[one.verb];
    if (other !== undefined) return other();
    const { status, body } = await send(this.single(about));
    if (one.verb === 'create' && status < 300) ids.push(String([body.data].flat()[0].documentId));
    return status;
  }

  /** Takes the last release back; 404 if none was published. */
  private async undo({ send }: About): Promise<number> {
    if (this.released === null) return 404;
    return (await send({ method: 'POST', path: `${this.released}/actions/undo` })).status;
  }

  private single({ one, type, id }: About): Sent {
    const { verb, locale, draft, body: given, bulk } = one;
    const [method, pathOf] = ROUTES[verb as Single];
    const hasBody = verb === 'create' || verb === 'update';
    const options = {
      ...(hasLocales(type) && !(hasBody && locale === '*') ? { locale } : {}),
      ...(hasBody && hasDrafts(type) && draft ? { status: 'draft' } : {}),
    };
    const body = hasBody ? { data: this.data(type, given) } : {};
    const base = PLURALS[type];
    if (!bulk)
      return {
        method,
        path: `${base}${pathOf(id)}?${new URLSearchParams(options).toString()}`,
        ...(hasBody ? { body } : {}),
      };
    const item = { action: verb, ...(verb === 'create' ? {} : { documentId: id }), ...options, ...body };
    return { method: 'POST', path: `${base}/bulk`, body: { data: [item] } };
  }

  /** Changes links from their inverse side. */
  private async tagDocuments({ one, type, send }: About, ids: readonly string[]): Promise<number> {
    const { body: given, locale, draft, version, unpublish } = one;
    const tag = this.tags[version % 2] as string;
    const targets = unpublish ? { disconnect: ids } : given.connect === true ? { connect: ids } : ids;
    const place = locale === '*' ? '' : `?locale=${locale}${draft ? '&status=draft' : ''}`;
    const { status } = await send({
      method: 'PUT',
      path: `tags/${tag}${place}`,
      body: { data: { [PLURALS[type]]: targets } },
    });
    return status;
  }

  /** Publishes a release now or at its time. */
  private async release({ one, type, id, send }: About): Promise<number> {
    this.released = null;
    const { body: made, ...created } = await send({
      method: 'POST',
      path: 'releases',
      body: { data: { name: 'fuzz' } },
    });
    if (created.status >= 300) return created.status;
    const path = `releases/${made.data.id}`;
    const entry = {
      ...{ type, documentId: id, action: one.unpublish ? 'unpublish' : 'publish' },
      ...(hasLocales(type) ? { locale: one.locale } : {}),
    };
    const added = await send({ method: 'POST', path: `${path}/entries`, body: { data: [entry] } });
    if (added.status >= 300) return added.status;
    if (one.draft) {
      const set = await send({ method: 'PUT', path, body: { data: { at: '2020-01-01T00:00:00Z' } } });
      if (set.status < 300)
        await this.until(
          `select 1 from content_release where id = ${made.data.id} and released_at is null and failed_at is null`,
        );
      return set.status;
    }
    const { status } = await send({ method: 'POST', path: `${path}/actions/publish` });
    if (status < 300) this.released = path;
    return status;
  }

  private async restore({ one, type, id, send }: About): Promise<number> {
    const base = `${PLURALS[type]}/${id}`;
    const place = hasLocales(type) && one.locale !== '*' ? `?locale=${one.locale}` : '';
    if (one.unpublish) return (await send({ method: 'POST', path: `${base}/actions/restore` })).status;
    const rows = await this.app.sql('select id from content_version where document_id = $1 order by id', [
      id,
    ]);
    const version = rows[one.version % Math.max(1, rows.length)]?.['id'] ?? 0;
    return (await send({ method: 'POST', path: `${base}/versions/${version}/actions/restore${place}` }))
      .status;
  }

  private async schedule({ one, type, id, send }: About): Promise<number> {
    const place = hasLocales(type) && one.locale !== '*' ? `?locale=${one.locale}` : '';
    const data = { [one.unpublish ? 'unpublishAt' : 'publishAt']: '2020-01-01T00:00:00Z' };
    const { status } = await send({
      method: 'PUT',
      path: `${PLURALS[type]}/${id}/actions/schedule${place}`,
      body: { data },
    });
    if (status < 300)
      await this.until(
        `select 1 from content_schedule where document_id = '${id}' and due_at < now() and failed_at is null`,
      );
    return status;
  }

  /** Waits until a query finds no row. */
  private async until(query: string): Promise<void> {
    const rows = await lookUntil(
      () => this.app.sql(query),
      ({ length }) => length === 0,
    );
    if (rows.length > 0) throw new Error(`still found: ${query}`);
  }
}
