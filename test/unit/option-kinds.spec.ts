/** Each option of each module refuses values of another kind, with its name in the message. */
import { ContentModelError, ContentModule } from 'nestjs-content-api';
import { DeskModule } from 'nestjs-content-api/desk';
import { EventsModule } from 'nestjs-content-api/events';
import { LocalStorage, SharpImages } from 'nestjs-content-api/files';
import { AuditModule, HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { S3Storage } from 'nestjs-content-api/s3';
import { resolveUsersOptions } from '../../src/features/accounts/users.options.ts';
import { resolveFilesOptions } from '../../src/features/media/files.options.ts';
import { resolveSettings } from '../../src/kernel/settings.ts';

const VALUES = {
  null: null,
  flag: true,
  number: 7,
  negative: -1,
  NaN: Number.NaN,
  text: 'a string',
  empty: '',
  list: [],
  nulls: [null],
  object: {},
  function: () => 1,
  date: new Date(0),
  symbol: Symbol('x'),
};
type Kind = keyof typeof VALUES;

interface Case {
  readonly label: string;
  readonly resolve: (options: unknown) => unknown;
  readonly valid: object;
  /** Options by path, each with the kinds that are valid for it. */
  readonly options: Readonly<Record<string, readonly Kind[]>>;
  readonly at: (path: string) => string;
}

const named = (label: string): Pick<Case, 'label' | 'at'> => ({ label, at: (path) => `${label}: ${path}` });
const secret = 'x'.repeat(32);
const counts = (names: string, ...also: Kind[]): Case['options'] =>
  Object.fromEntries(names.split(' ').map((name) => [name, ['number', ...also]]));

const CASES: readonly Case[] = [
  {
    label: 'ContentModule',
    at: (path) => path,
    resolve: (options) => ContentModule.forRoot(options as never),
    valid: { contentTypes: [] },
    options: {
      imports: ['list'],
      contentTypes: ['list'],
      components: ['list'],
      removed: ['list'],
      controllers: ['object'],
      decorators: ['list'],
      schema: ['text', 'empty'],
      contextName: ['text'],
      registerEntities: ['flag'],
      database: ['object'],
      access: ['object'],
      'access.roles': ['object'],
      'access.source': [],
      'access.maxAge': ['number'],
      auth: ['object'],
      'auth.strategies': ['list'],
      prefix: ['text', 'empty'],
      defaultLocale: [],
      locales: ['list'],
      ...counts('defaultLimit maxLimit maxCachedPlans maxPreparedStatements maxPreparedSize'),
      maxReplicaLag: [],
      strictParams: ['flag'],
      strictRelations: ['flag'],
      withCount: ['flag'],
      preparedStatements: ['flag'],
      serverTiming: ['flag'],
      health: ['flag'],
      startCheck: ['null'],
      limits: ['object'],
      ...counts('limits.depth limits.statementTimeout limits.bodyBytes'),
      load: ['object'],
      ...counts('load.queueTimeout load.queueLength load.unsentBytes'),
      'load.slowShare': [],
      schedule: ['object'],
      'schedule.everySeconds': ['number', 'null'],
      openapi: ['object'],
      'openapi.document': ['flag'],
      'openapi.title': ['text'],
      'openapi.info': ['object'],
      monitoring: ['object'],
      'monitoring.durations': ['flag'],
      'monitoring.slowRequest': ['number'],
      cache: ['object'],
      'cache.bytes': ['number'],
    },
  },
  {
    ...named('UsersModule'),
    resolve: (options) => resolveUsersOptions(options as never),
    valid: { secret },
    options: {
      secret: [],
      algorithm: [],
      ...counts('expiresIn refresh.expiresIn rateLimit.perAddress rateLimit.perIdentifier rateLimit.seconds'),
      issuer: ['text'],
      audience: ['text'],
      refresh: ['flag', 'object'],
      local: ['flag'],
      register: ['object'],
      'register.enabled': ['flag'],
      'register.role': ['text'],
      'register.fields': ['list'],
      'register.confirm': ['flag'],
      mail: [],
      resetPasswordUrl: [],
      confirmedUrl: ['text'],
      apiUrl: [],
      rateLimit: ['object'],
      'rateLimit.store': ['function'],
    },
  },
  {
    ...named('FilesModule'),
    resolve: (options) => resolveFilesOptions(options as never),
    valid: { storage: new LocalStorage('uploads'), private: { secret } },
    options: {
      storage: [],
      images: ['null', 'object'],
      ...counts('maxBytes maxFiles private.seconds'),
      allowed: ['list'],
      private: [],
      'private.secret': [],
    },
  },
  {
    ...named('SharpImages'),
    resolve: (options) => new SharpImages(options as never),
    valid: {},
    options: {
      original: [],
      formats: ['object'],
      recipes: ['object'],
      signingKeys: ['list'],
      ...counts('maxPixels maxSide timeout parallel queueLength'),
      thumbhash: ['flag'],
    },
  },
  {
    ...named('S3Storage'),
    resolve: (options) => new S3Storage(options as never),
    valid: { bucket: 'files', client: { region: 'eu-central-1' } },
    options: {
      bucket: ['text'],
      prefix: ['text', 'empty'],
      client: ['object'],
      timeouts: ['object'],
      ...counts('timeouts.head timeouts.get timeouts.put timeouts.list timeouts.delete'),
    },
  },
  {
    ...named('EventsModule'),
    resolve: (options) => EventsModule.forRoot(options as never),
    valid: { live: { secret } },
    options: {
      ...counts('retentionDays webhooks.timeoutSeconds live.maxListeners live.heartbeatSeconds'),
      pollMilliseconds: [],
      webhooks: ['object'],
      'webhooks.endpoints': ['list'],
      'webhooks.allow': ['list'],
      'webhooks.signingKey': [],
      live: [],
      'live.secret': [],
    },
  },
  {
    ...named('DeskModule'),
    resolve: (options) => DeskModule.forRoot(options as never),
    valid: {},
    options: {
      path: [],
      url: [],
      signIn: [],
      'signIn.url': [],
      origins: ['object'],
      'origins.images': ['list'],
      'origins.frames': ['list'],
      preview: ['object'],
      'preview.secret': [],
      'preview.seconds': [],
      extension: [],
      look: ['object'],
      'look.title': ['text'],
      'look.logo': [],
      'look.colour': [],
      'look.welcome': ['text'],
      languages: [],
    },
  },
  {
    ...named('HistoryModule'),
    resolve: (options) => HistoryModule.forRoot(options as never),
    valid: {},
    options: counts('sittingMinutes keep keepDays trashDays'),
  },
  {
    ...named('AuditModule'),
    resolve: (options) => AuditModule.forRoot(options as never),
    valid: {},
    options: { addresses: ['flag'] },
  },
  {
    ...named('ReleasesModule'),
    resolve: (options) => ReleasesModule.forRoot(options as never),
    valid: {},
    options: counts('maxEntries'),
  },
];

/** Returns the options with a value at a path such as `look.title`. */
function withValue(options: object, [name = '', ...rest]: readonly string[], value: unknown): object {
  const inside = (options as Readonly<Record<string, object | undefined>>)[name] ?? {};
  return { ...options, [name]: rest.length === 0 ? value : withValue(inside, rest, value) };
}

function errorOf(run: () => unknown): unknown {
  try {
    run();
    return null;
  } catch (error) {
    return error;
  }
}

const mistakesOf = (error: unknown): readonly string[] =>
  error instanceof ContentModelError ? error.mistakes : [String(error)];

describe.each(CASES)('$label', ({ label, at, resolve, valid, options }) => {
  const whole = label === 'ContentModule' ? 'options' : `${label}: options`;

  it.each(Object.entries(options))('checks the kind of %s', (path, kinds) => {
    for (const [kind, value] of Object.entries(VALUES)) {
      const error = errorOf(() => resolve(withValue(valid, path.split('.'), value)));
      const isOfModel = error instanceof ContentModelError && !error.message.startsWith('The options');
      if (kinds.some((one) => one === kind)) expect([kind, isOfModel ? null : error]).toEqual([kind, null]);
      else
        expect([kind, mistakesOf(error)]).toEqual([
          kind,
          expect.arrayContaining([expect.stringContaining(`${at(path)}`)]),
        ]);
    }
  });

  it('accepts undefined for each option that it does not require', () => {
    for (const path of Object.keys(options).filter(
      (one) => !/contentTypes|secret|storage|bucket|url$/.test(one),
    ))
      expect([path, errorOf(() => resolve(withValue(valid, path.split('.'), undefined)))]).toEqual([
        path,
        null,
      ]);
  });

  it.each(Object.entries({ ...VALUES, object: null }))(
    'refuses %s in place of its options',
    (_kind, value) => {
      expect(mistakesOf(errorOf(() => resolve(value)))).toEqual([`${whole} must be an object`]);
    },
  );

  it('names an unknown option', () => {
    const [mistake] = mistakesOf(errorOf(() => resolve({ ...valid, optoin: 1 })));
    expect(mistake).toContain('unknown option "optoin"');
  });
});

it('an undefined limit keeps its default', () => {
  const { limits, load, cache } = resolveSettings({
    limits: { depth: undefined as never },
    load: { queueTimeout: undefined as never },
    cache: { bytes: undefined as never },
  });
  expect([limits.depth, load.queueTimeout, cache.bytes]).toEqual([20, 5000, 67_108_864]);
});

it.each(Object.entries(VALUES).filter(([kind]) => kind !== 'text'))(
  'LocalStorage refuses %s as its directory',
  (_kind, value) => {
    expect(() => new LocalStorage(value as never)).toThrow(
      'LocalStorage: the directory must be a non-empty string',
    );
  },
);

it('ContentModule without any options names them', () => {
  for (const way of ['forRoot', 'forRootAsync', 'forFeature'] as const)
    expect(errorOf(() => ContentModule[way](undefined as never))).toBeInstanceOf(ContentModelError);
});
