/** Pipelined batches as query objects of the driver: rows, errors, and the driver's own timeout. */
import { PipelinedBatch } from '../../src/pool/pipelined-batch.ts';
import type { PoolClient, QueryConfig, Wire } from '../../src/pool/pool-types.ts';
import type { Row } from '../../src/pool/runner.ts';
import { decode, type Message } from './wire-messages.ts';

/** Batch on a connection whose messages a test handles itself. */
class Sent {
  readonly messages: Message[] = [];
  readonly wire: Wire = {
    stream: { write: (bytes) => this.messages.push(...decode(bytes)), destroy: () => undefined },
    parsedStatements: {},
    sync: () => undefined,
  };
  readonly results: { readonly error: Error | null; readonly rows: readonly (readonly Row[])[] }[] = [];
  readonly timeouts: Error[] = [];
  readonly batch: PipelinedBatch;
  readonly failure: Error | null;

  constructor(...configs: readonly QueryConfig[]) {
    const parser = (text: string): unknown => JSON.parse(text);
    const client = { connection: this.wire, getTypeParser: () => parser } as unknown as PoolClient;
    this.batch = new PipelinedBatch(client, configs, {
      done: (error, rows) => this.results.push({ error, rows }),
      timedOut: (error) => this.timeouts.push(error),
    });
    this.failure = this.batch.submit(this.wire);
  }

  respond(...rows: readonly (readonly string[])[]): void {
    this.batch.handleRowDescription({ fields: [{ name: 'value', dataTypeID: 114 }] });
    for (const fields of rows) this.batch.handleDataRow({ fields });
    this.batch.handleCommandComplete();
  }
}

const config = (text: string, more: Partial<QueryConfig> = {}): QueryConfig => ({
  text,
  values: [],
  ...more,
});

describe('a pipelined batch', () => {
  it('ends with one Sync, and returns the rows of each statement', () => {
    const sent = new Sent(config('select 1'), config('select 2'));
    expect(sent.messages.filter(({ kind }) => kind === 'sync')).toHaveLength(1);
    sent.respond(['1'], ['2']);
    sent.respond(['[3]']);
    expect(sent.results).toEqual([]);
    sent.batch.handleReadyForQuery(sent.wire);
    expect(sent.results).toEqual([{ error: null, rows: [[{ value: 1 }, { value: 2 }], [{ value: [3] }]] }]);
  });

  it('requests no row description for a statement whose rows are ignored', () => {
    const sent = new Sent(config('select lock()', { silent: true }));
    expect(sent.messages.map(({ kind }) => kind)).toEqual(['parse', 'bind', 'execute', 'sync']);
    sent.batch.handleDataRow({ fields: ['1'] });
    sent.batch.handleCommandComplete();
    sent.batch.handleReadyForQuery(sent.wire);
    expect(sent.results[0]?.rows).toEqual([[]]);
  });

  it('sends a Flush before a statement that requires one', () => {
    const sent = new Sent(config('update'), config('commit', { flush: true }));
    expect(sent.messages.map(({ kind }) => kind)).toEqual([
      ...['parse', 'bind', 'describe', 'execute'],
      'flush',
      ...['parse', 'bind', 'describe', 'execute'],
      'sync',
    ]);
  });

  it('returns the rows before an error, and calls back once', () => {
    const sent = new Sent(config('select 1'), config('select 2'));
    const error = new Error('division by zero');
    sent.respond(['1']);
    sent.batch.handleError(error, sent.wire);
    sent.batch.handleReadyForQuery(sent.wire);
    expect(sent.results).toEqual([{ error, rows: [[{ value: 1 }]] }]);
  });

  it('notes what it has prepared only if it succeeds', () => {
    const named = config('select 1', { name: 'one' });
    const [succeeded, failed] = [new Sent(named), new Sent(named)];
    succeeded.batch.handleReadyForQuery(succeeded.wire);
    failed.batch.handleError(new Error('division by zero'), failed.wire);
    expect([succeeded.wire.parsedStatements, failed.wire.parsedStatements]).toEqual([
      { one: 'select 1' },
      {},
    ]);
  });

  it('reports a row that cannot be parsed as an error, and reads on', () => {
    const sent = new Sent(config('select 1'));
    sent.respond(['{'], ['2']);
    sent.batch.handleReadyForQuery(sent.wire);
    expect(sent.results[0]).toMatchObject({
      error: { message: expect.stringContaining('JSON') },
      rows: [[{ value: 2 }]],
    });
  });

  it('sends nothing if a value cannot be encoded', () => {
    const sent = new Sent(config('select 1'), config('select 2', { values: [{}] }));
    expect(sent.failure?.message).toContain('A object cannot be sent to the database');
    expect(sent.messages).toEqual([]);
  });

  it('reports the timeout of the driver, and returns the result of the server later', () => {
    const sent = new Sent(config('select 1'));
    const timeout = new Error('Query read timeout');
    sent.batch.callback(timeout);
    sent.batch.handleError(timeout, sent.wire);
    expect([sent.timeouts, sent.results]).toEqual([[timeout], []]);
    sent.respond(['1']);
    sent.batch.handleReadyForQuery(sent.wire);
    expect(sent.results).toEqual([{ error: null, rows: [[{ value: 1 }]] }]);
  });

  it('calls a callback that tracing has wrapped', () => {
    const sent = new Sent(config('select 1'), config('select 2'));
    const ended: (Error | null)[] = [];
    sent.batch.callback = (error) => void ended.push(error);
    expect(sent.batch.text).toBe('select 1;\nselect 2');
    sent.batch.handleReadyForQuery(sent.wire);
    expect([ended, sent.results.length]).toEqual([[null], 1]);
  });
});
