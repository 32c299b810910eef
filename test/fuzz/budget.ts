/** Options that all fuzzers share: time limit, number of requests and seed. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

export interface Budget {
  readonly seed: number;
  /** Infinity if only the number of requests is limited. */
  readonly seconds: number;
  /** Infinity if only the time is limited. */
  readonly requests: number;
}

/** Name, description and defaults of a fuzzer. */
export interface Fuzzer {
  readonly name: string;
  /** One sentence that states the tested property. */
  readonly proves: string;
  readonly budget: Partial<Pick<Budget, 'seconds' | 'requests'>>;
  /** Additional options, with one line of help each. */
  readonly options?: ParseArgsOptionsConfig;
  readonly help?: Readonly<Record<string, string>>;
}

export interface Asked {
  readonly budget: Budget;
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
}

const SHARED = {
  seconds: { type: 'string' },
  requests: { type: 'string' },
  /** Former name of `requests`. */
  runs: { type: 'string' },
  seed: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

function helpOf({ name, proves, budget: { seconds, requests }, help = {} }: Fuzzer): string {
  const lines = {
    'seconds N': `stop after N seconds (${seconds ?? 'no limit'})`,
    'requests N': `stop after N requests (${requests ?? 'no limit'})`,
    'seed S': 'the same seed sends the same requests (default: the time)',
    ...help,
  };
  const width = Math.max(...Object.keys(lines).map(({ length }) => length));
  return [
    `npm run ${name} -- [options]`,
    proves,
    '',
    ...Object.entries(lines).map(([option, text]) => `  --${option.padEnd(width)}  ${text}`),
  ].join('\n');
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name} must be a positive number`);
  return number;
}

/**
 * Reads the command line; `--help` prints help and exits. A limit on the command line removes the default of
 * the other limit.
 */
export function readBudget(fuzzer: Fuzzer, args: readonly string[] = process.argv.slice(2)): Asked {
  const { values } = parseArgs({ args: [...args], options: { ...SHARED, ...fuzzer.options } });
  if (values.help === true) {
    console.log(helpOf(fuzzer));
    process.exit(0);
  }
  const seconds = positive('seconds', values.seconds);
  const requests = positive('requests', values.requests ?? values.runs);
  const isGiven = seconds !== undefined || requests !== undefined;
  const { budget } = fuzzer;
  return {
    budget: {
      seed: Number(values.seed ?? Date.now() % 2 ** 31),
      seconds: seconds ?? (isGiven ? undefined : budget.seconds) ?? Infinity,
      requests: requests ?? (isGiven ? undefined : budget.requests) ?? Infinity,
    },
    values,
  };
}

/** Options of fast-check that end a run after a time limit. */
export const timeLimit = (
  seconds: number,
): { readonly interruptAfterTimeLimit?: number; readonly markInterruptAsFailure?: boolean } =>
  seconds === Infinity ? {} : { interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false };

export const describeBudget = ({ seed, seconds, requests }: Budget): string =>
  [
    `seed ${seed}`,
    ...(seconds === Infinity ? [] : [`${seconds} s`]),
    ...(requests === Infinity ? [] : [`${requests} requests`]),
  ].join(', ');
