/** Polls of the change log that requests share. */
import type { OwnConnection } from '../../src/pool/own-connection.ts';
import type { Row } from '../../src/pool/runner.ts';
import { Ledger } from '../../src/cache/ledger.ts';
import { identifier, type Statement } from '../../src/kernel/sql.ts';

/** A connection whose answers are given by hand, in the order of the questions. */
class Hand {
  readonly asked: PromiseWithResolvers<readonly Row[]>[] = [];
  /** The kinds of the statements: a glance sees a snapshot alone, a check sees changes too. */
  readonly kinds: ('glance' | 'check')[] = [];
  /** Somebody commits something between any two answers, unless they say otherwise. */
  private commits = 0;
  readonly connection = {
    run: (statement: Statement) => this.ask(statement),
    runOften: (statement: Statement) => this.ask(statement),
    close: () => undefined,
  } as unknown as OwnConnection;

  private ask({ text }: Statement): Promise<readonly Row[]> {
    const answer = Promise.withResolvers<readonly Row[]>();
    this.asked.push(answer);
    this.kinds.push(text.includes('as changes') ? 'check' : 'glance');
    return answer.promise;
  }

  async answer(row: Row): Promise<void> {
    await turns();
    this.commits += 1;
    const snapshot = `${this.commits}:${this.commits}:`;
    const seen = { server: 'one', standby: false, snapshot, noted: '{1}', shape: '1:1' };
    this.asked.at(-1)?.resolve([{ ...seen, ...row }]);
    await turns();
  }
}

const turns = (): Promise<void> => new Promise((done) => setImmediate(done));
const CHANGED: Row = { lost: false, changes: JSON.stringify([{ type: 'note', id: null, xid: '9' }]) };
const NOTES = { types: ['note'], document: null };
const NOTHING: Row = { lost: false, changes: null };

async function open(): Promise<{ readonly hand: Hand; readonly ledger: Ledger }> {
  const hand = new Hand();
  const tables = { change: identifier('content_change'), total: identifier('content_total') };
  const ledger = new Ledger({
    tables,
    marked: false,
    noted: [],
    open: () => Promise.resolve(hand.connection),
    warn: () => undefined,
  });
  const first = ledger.check();
  await hand.answer({});
  expect(await first).toBe(true);
  return { hand, ledger };
}

describe('a ledger', () => {
  it('has whoever asks while it is asked wait for the next check, which all of them share', async () => {
    const { hand, ledger } = await open();
    const before = ledger.position;
    const first = ledger.check();
    const others = [ledger.check(), ledger.check()];
    await turns();
    expect(hand.asked).toHaveLength(2);
    await hand.answer(NOTHING);
    expect([await first, ledger.position, hand.asked.length]).toEqual([true, before + 1, 3]);
    await hand.answer(CHANGED);
    expect(await Promise.all(others)).toEqual([true, true]);
    expect(hand.asked).toHaveLength(3);
    expect(ledger.hasChanged(NOTES, before + 1)).toBe(true);
  });

  it('never asks beside another check, whenever somebody comes', async () => {
    const { hand, ledger } = await open();
    const before = ledger.position;
    // Who asks again as soon as the first check has answered, before those who waited meanwhile have theirs.
    const again = ledger.check().then(() => ledger.check());
    const waiting = ledger.check();
    await hand.answer(NOTHING);
    await turns();
    expect(hand.asked).toHaveLength(3);
    await hand.answer(CHANGED);
    await hand.answer(NOTHING);
    expect(await Promise.all([again, waiting])).toEqual([true, true]);
    expect([hand.asked.length, ledger.position]).toEqual([4, before + 3]);
    expect([before + 1, before + 2].map((position) => ledger.hasChanged(NOTES, position))).toEqual([
      true,
      false,
    ]);
  });

  it('looks whether tables were altered where anything was committed, and then begins anew', async () => {
    const { hand, ledger } = await open();
    let altered = 0;
    ledger.onAltered(() => (altered += 1));
    const before = ledger.position;
    const first = ledger.check();
    await hand.answer({ ...NOTHING, shape: '1:1' });
    expect([await first, ledger.hasChanged(NOTES, before), altered]).toEqual([true, false, 0]);
    const second = ledger.check();
    await hand.answer({ ...NOTHING, shape: '1:7' });
    await hand.answer({ shape: '1:7' });
    expect([await second, ledger.hasChanged(NOTES, before), altered]).toEqual([true, true, 1]);
    expect(hand.asked).toHaveLength(4);
  });

  describe('where nothing was committed by anybody', () => {
    const STILL: Row = { snapshot: '1:1:' };

    async function openQuiet(): Promise<Awaited<ReturnType<typeof open>>> {
      const { hand, ledger } = await open();
      const quiet = ledger.check();
      await hand.answer({ ...NOTHING, ...STILL });
      await quiet;
      hand.kinds.length = 0;
      return { hand, ledger };
    }

    it('asks only what is seen, for as long as that is the same', async () => {
      const { hand, ledger } = await openQuiet();
      const before = ledger.position;
      for (let i = 0; i < 3; i += 1) {
        const asking = ledger.check();
        await hand.answer(STILL);
        expect(await asking).toBe(true);
      }
      expect(hand.kinds).toEqual(Array.from({ length: 3 }, () => 'glance'));
      expect([ledger.position, ledger.hasChanged(NOTES, before)]).toEqual([before + 3, false]);
    });

    it('asks for changes as soon as anything else is seen, and the next time at once', async () => {
      const { hand, ledger } = await openQuiet();
      const before = ledger.position;
      const asking = ledger.check();
      await hand.answer({});
      await hand.answer(CHANGED);
      expect([await asking, ledger.hasChanged(NOTES, before)]).toEqual([true, true]);
      const next = ledger.check();
      await hand.answer(NOTHING);
      expect([await next, hand.kinds]).toEqual([true, ['glance', 'check', 'check']]);
    });

    it.each([
      ['another server answers', { ...STILL, server: 'two' }],
      ['it is in recovery', { ...STILL, standby: true }],
    ])('does not take it for that when %s', async (_what, row) => {
      const { hand, ledger } = await openQuiet();
      const before = ledger.position;
      const asking = ledger.check();
      await hand.answer(row);
      await hand.answer({ ...NOTHING, ...row });
      await hand.answer(row);
      await asking;
      expect(ledger.hasChanged(NOTES, before)).toBe(true);
    });

    it('begins anew when all was forgotten while it was asked', async () => {
      const { hand, ledger } = await openQuiet();
      const before = ledger.position;
      const asking = ledger.check();
      await turns();
      ledger.forget();
      await hand.answer(STILL);
      await hand.answer({ ...NOTHING, ...STILL });
      await hand.answer(STILL);
      expect([await asking, ledger.hasChanged(NOTES, before)]).toEqual([true, true]);
    });
  });

  it('begins anew when all was forgotten while it was asked', async () => {
    const { hand, ledger } = await open();
    const before = ledger.position;
    const asking = ledger.check();
    await turns();
    ledger.forget();
    await hand.answer(CHANGED);
    await hand.answer({});
    expect(await asking).toBe(true);
    // What was told to nobody counts: all that was read before is older than what is there.
    expect(hand.asked).toHaveLength(3);
    expect([before, ledger.position].map((position) => ledger.hasChanged(NOTES, position))).toEqual([
      true,
      false,
    ]);
  });
});
