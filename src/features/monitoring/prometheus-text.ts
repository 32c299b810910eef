/** Text format of Prometheus, version 0.0.4. It is also valid input of OpenTelemetry's collector. */
import type { ContentMetricsSnapshot, HookMetrics, PoolMetrics, RequestMetrics } from './snapshot.js';

type Labels = Readonly<Record<string, string | number>>;
type Sample = readonly [Labels, number];

interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly Sample[];
}

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));

function sampleText(name: string, [labels, value]: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text))}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

const headOf = (name: string, type: string, help: string): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

const familyText = ({ name, type, help, samples }: Family): string =>
  samples.length === 0
    ? ''
    : headOf(name, type, help) + samples.map((sample) => sampleText(name, sample)).join('');

const counter = (name: string, help: string, ...samples: readonly Sample[]): Family => ({
  name: `content_${name}_total`,
  type: 'counter',
  help,
  samples,
});

const gauge = (name: string, help: string, ...samples: readonly Sample[]): Family => ({
  name: `content_${name}`,
  type: 'gauge',
  help,
  samples,
});

/** One sample per entry, with the name of the entry as a label. */
const samplesOf = (label: string, values: Readonly<Record<string, number>>): readonly Sample[] =>
  Object.entries(values).map(([name, value]) => [{ [label]: name }, value]);

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const flag = (value: boolean): number => (value ? 1 : 0);
const seconds = (milliseconds: number): number => milliseconds / 1000;

function loadFamilies({ pool, queues, refusals }: ContentMetricsSnapshot): readonly Family[] {
  const ofPool = (samples: (of: PoolMetrics) => readonly Sample[]): readonly Sample[] =>
    pool === null ? [] : samples(pool);
  return [
    gauge(
      'pool_connections',
      'Connections of the pool to the primary.',
      ...ofPool(({ used, idle }) => samplesOf('state', { used, idle })),
    ),
    gauge('pool_connections_max', 'Size of the pool.', ...ofPool(({ max }) => [[{}, max]])),
    gauge(
      'queue_active',
      'Requests that have a connection.',
      ...queues.map(({ kind, active }): Sample => [{ kind }, active]),
    ),
    gauge(
      'queue_waiting',
      'Requests that wait for a connection.',
      ...queues.map(({ kind, waiting }): Sample => [{ kind }, waiting]),
    ),
    counter(
      'refusals',
      'Error responses by status and cause.',
      ...refusals.map(({ status, cause, count }): Sample => [{ status, cause }, count]),
    ),
  ];
}

function cacheFamilies({ cache, changeLog }: ContentMetricsSnapshot): readonly Family[] {
  const { hits, misses, stale, passed } = cache;
  const { sincePoll } = changeLog;
  return [
    gauge('cache_enabled', '1 if responses are cached.', [{}, flag(cache.isOn)]),
    counter(
      'cache_reads',
      'Reads by result of the cache.',
      ...samplesOf('result', { hit: hits, miss: misses, stale, passed }),
    ),
    gauge('cache_entries', 'Cached responses.', [{}, cache.entries]),
    gauge('cache_bytes', 'Memory of cached responses.', [{}, cache.bytes]),
    gauge('change_log_complete', '1 if all writes are logged.', [{}, flag(changeLog.isComplete)]),
    counter('change_log_polls', 'Polls of the change log.', [{}, changeLog.polls]),
    gauge('change_log_poll_seconds', 'Duration of the last poll.', [{}, seconds(cache.checkMilliseconds)]),
    gauge(
      'change_log_since_poll_seconds',
      'Time since the last successful poll.',
      ...(sincePoll === null ? [] : [[{}, seconds(sincePoll)] as const]),
    ),
    gauge('change_log_retained', 'Stored changes at the last maintenance.', [{}, changeLog.retained]),
  ];
}

function workFamilies({ schedules, hooks, parts, present }: ContentMetricsSnapshot): readonly Family[] {
  const { done, failed, retried, searches, failedSearches } = schedules;
  const byMoment = (value: (of: HookMetrics) => number): readonly Sample[] =>
    hooks.map((one) => [{ moment: one.moment }, value(one)]);
  return [
    counter('schedules', 'Scheduled actions by outcome.', ...samplesOf('outcome', { done, failed, retried })),
    counter(
      'schedule_searches',
      'Searches for due documents by outcome.',
      ...samplesOf('outcome', { done: searches, failed: failedSearches }),
    ),
    counter('hooks', 'Calls of hooks.', ...byMoment(({ runs }) => runs)),
    counter('hook_failures', 'Hooks that threw.', ...byMoment(({ failures }) => failures)),
    counter('hook_seconds', 'Time in hooks.', ...byMoment(({ milliseconds }) => seconds(milliseconds))),
    ...Object.entries(parts).flatMap(([part, counters]) =>
      Object.entries(counters).map(([name, value]) =>
        counter(`${part}_${snake(name)}`, `Counter of the module "${part}".`, [{}, value]),
      ),
    ),
    ...Object.entries(present).flatMap(([part, values]) =>
      Object.entries(values).map(([name, value]) =>
        gauge(`${part}_${snake(name)}`, `Current value of the module "${part}".`, [{}, value]),
      ),
    ),
  ];
}

const DURATION = 'content_http_request_duration_seconds';

function histogramText(requests: readonly RequestMetrics[], bounds: readonly number[]): string {
  if (requests.length === 0) return '';
  const lines = requests.flatMap(({ route, method, status, count, milliseconds, buckets }) => {
    const labels = { route, method, status };
    return [
      ...buckets.map((within, i) =>
        sampleText(`${DURATION}_bucket`, [{ ...labels, le: seconds(bounds[i] ?? 0) }, within]),
      ),
      sampleText(`${DURATION}_bucket`, [{ ...labels, le: '+Inf' }, count]),
      sampleText(`${DURATION}_sum`, [labels, seconds(milliseconds)]),
      sampleText(`${DURATION}_count`, [labels, count]),
    ];
  });
  return headOf(DURATION, 'histogram', 'Responses by route, method and class of status.') + lines.join('');
}

export const prometheusText = (snapshot: ContentMetricsSnapshot): string =>
  [...loadFamilies(snapshot), ...cacheFamilies(snapshot), ...workFamilies(snapshot)]
    .map(familyText)
    .join('') + histogramText(snapshot.requests, snapshot.bounds);
