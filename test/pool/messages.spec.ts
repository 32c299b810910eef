/** Encoding of values, as the server reads them. */
import { Messages } from '../../src/pool/messages.ts';
import { decode } from './wire-messages.ts';

const bound = (...values: readonly unknown[]): readonly unknown[] => {
  const messages = new Messages();
  messages.bind('name', values);
  const [message] = decode(messages.take());
  return message?.kind === 'bind' ? message.values : [];
};

describe('a bound value', () => {
  it.each([
    ['text', 'Grüße, 世界 🌍', 'Grüße, 世界 🌍'],
    ['an empty text', '', ''],
    ['a number', -1.5, '-1.5'],
    ['a large integer', 12_345_678_901_234_567_890n, '12345678901234567890'],
    ['a boolean', false, 'false'],
    ['null', null, null],
    ['undefined', undefined, null],
    ['an empty array', [], '{}'],
    ['an array', ['a', 1, null, true], '{"a","1",NULL,"true"}'],
    ['an array with quotes, backslashes and commas', ['a"b', 'c\\d', '{e,f}'], '{"a\\"b","c\\\\d","{e,f}"}'],
    ['nested arrays', [['a'], ['b']], '{"{\\"a\\"}","{\\"b\\"}"}'],
  ])('is sent in text format: %s', (_title, value, text) => {
    expect(bound(value)).toEqual([text]);
  });

  it.each([[{}], [Symbol('a')], [() => 1]])('is rejected if its type is not supported (%p)', (value) => {
    expect(() => bound(value)).toThrow(/^A \w+ cannot be sent to the database$/);
  });
});

describe('a buffer of messages', () => {
  it('contains messages in the order of the calls', () => {
    const messages = new Messages();
    messages.closeStatement('old');
    messages.parse('name', 'select $1');
    messages.bind('name', ['a']);
    messages.describe();
    messages.execute();
    messages.flush();
    messages.sync();
    expect(decode(messages.take())).toEqual([
      { kind: 'close', name: 'old' },
      { kind: 'parse', name: 'name', text: 'select $1' },
      { kind: 'bind', name: 'name', values: ['a'] },
      { kind: 'describe' },
      { kind: 'execute' },
      { kind: 'flush' },
      { kind: 'sync' },
    ]);
  });

  it('grows with its contents', () => {
    const messages = new Messages();
    const values = Array.from({ length: 50 }, (_, i) => String(i).repeat(5000));
    messages.bind('name', values);
    expect(decode(messages.take())).toEqual([{ kind: 'bind', name: 'name', values }]);
  });

  it('is empty after its messages were taken or cleared', () => {
    const messages = new Messages();
    messages.sync();
    messages.clear();
    expect(messages.take()).toHaveLength(0);
    messages.sync();
    const first = messages.take();
    messages.flush();
    expect([decode(first), decode(messages.take())]).toEqual([[{ kind: 'sync' }], [{ kind: 'flush' }]]);
  });

  it('is usable after a message of more than a megabyte', () => {
    const messages = new Messages();
    messages.parse('', 'x'.repeat(2_000_000));
    expect(decode(messages.take())).toHaveLength(1);
    messages.sync();
    expect(decode(messages.take())).toEqual([{ kind: 'sync' }]);
  });
});
