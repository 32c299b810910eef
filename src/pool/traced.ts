/** Spans of reads and transactions: the wait for a connection, and the statements. */
import type { Statement } from '../kernel/sql.js';
import type { EndSpan, SpanAttributes, Telemetry, TelemetryScope } from '../kernel/telemetry.js';
import type { Row, Runner } from './runner.js';

const QUEUE = 'content.queue';
const STATEMENT = 'content.statement';

const COMMENT = /^\/\* (\S+) \*\/ /;

/** Attributes of a span of statements: the text with its label, and never a value. */
function attributesOf(statements: readonly Statement[]): SpanAttributes {
  const [text = ''] = statements.map((statement) => statement.text);
  const [, summary] = COMMENT.exec(text) ?? [];
  return {
    'db.system.name': 'postgresql',
    'db.query.text': text,
    ...(summary === undefined ? {} : { 'db.query.summary': summary }),
    ...(statements.length > 1 ? { 'db.operation.batch.size': statements.length } : {}),
  };
}

export interface ReadCalls {
  readonly begun: () => void;
  readonly done: (rows: readonly Row[], answers: readonly Row[]) => void;
  readonly fail: (error: unknown) => void;
}

/** Wraps the callbacks of a read: it waits until `begun`, and runs until `done` or `fail`. */
export function tracedRead(telemetry: Telemetry, statement: Statement, calls: ReadCalls): ReadCalls {
  const scope = telemetry.scope();
  let end: EndSpan | null = scope.start(QUEUE);
  let isSent = false;
  const over = (error?: unknown): void => {
    end?.(error);
    end = null;
  };
  return {
    begun: () => {
      // A preempted read is sent again.
      if (!isSent) over();
      if (!isSent) end = scope.start(STATEMENT, attributesOf([statement]));
      isSent = true;
      calls.begun();
    },
    done: (rows, answers) => {
      over();
      calls.done(rows, answers);
    },
    fail: (error) => {
      over(error);
      calls.fail(error);
    },
  };
}

type Work<T> = (runner: Runner) => Promise<T>;

function tracedRunner(scope: TelemetryScope, runner: Runner): Runner {
  const traced = <T>(statements: readonly Statement[], send: () => Promise<T>): Promise<T> => {
    const end = scope.start(STATEMENT, attributesOf(statements));
    const sent = send();
    sent.then(() => end(), end);
    return sent;
  };
  return {
    em: runner.em,
    get held() {
      return runner.held;
    },
    run: (statement) => traced([statement], () => runner.run(statement)),
    all: (statements) => traced(statements, () => runner.all(statements)),
    load: (statements) => traced(statements, () => runner.load(statements)),
    finish: (statements) => traced(statements, () => runner.finish(statements)),
  };
}

type Fail = (error: unknown) => void;

interface TracedWork<T> {
  readonly work: Work<T>;
  /** Wraps an error callback, so that it also ends the span of the wait for a connection. */
  readonly failing: (fail: Fail) => Fail;
}

/** Wraps the work of a transaction: it waits until the work begins. */
export function tracedWork<T>(telemetry: Telemetry, work: Work<T>): TracedWork<T> {
  if (!telemetry.isOn) return { work, failing: (fail) => fail };
  const scope = telemetry.scope();
  let end: EndSpan | null = scope.start(QUEUE);
  const over = (error?: unknown): void => {
    end?.(error);
    end = null;
  };
  return {
    work: (runner) => {
      over();
      return work(tracedRunner(scope, runner));
    },
    failing: (fail) => (error) => {
      over(error);
      fail(error);
    },
  };
}
