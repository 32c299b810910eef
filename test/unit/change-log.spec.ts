/** Polls of the change log that requests share. */
import type { OwnConnection } from '../../src/pool/own-connection.ts';
import type { Row } from '../../src/pool/runner.ts';
import { ChangeLog } from '../../src/cache/change-log.ts';
import { identifier, type Statement } from '../../src/kernel/sql.ts';

/** Connection whose responses are set by hand, in the order of its queries. */
class Hand {
  readonly asked: PromiseWithResolvers<readonly Row[]>[] = [];
  /** Kinds of the statements: a glance reads only a snapshot, a check also reads changes. */
  readonly kinds: ('glance' | 'check')[] = [];
  /** By default, a commit happens between any two responses. */
  private commits = 0;
  readonly connection = {
    run: (statement: Statement) => this.ask(statement),
    runOften: (statement: Statement) => this.ask(statement),
    close: () => undefined,
  } as unknown as OwnConnection;

  private ask({ text }: Statement): Promise<readonly Row[]> {
    const response = Promise.withResolvers<readonly Row[]>();
    this.asked.push(response);
    this.kinds.push(text.includes('as changes') ? 'check' : 'glance');
    return response.promise;
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

async function open(): Promise<{ readonly hand: Hand; readonly changeLog: ChangeLog }> {
  const hand = new Hand();
  const tables = { change: identifier('content_change'), total: identifier('content_total') };
  const changeLog = new ChangeLog({
    tables,
    marked: false,
    noted: [],
    open: () => Promise.resolve(hand.connection),
    warn: () => undefined,
  });
  const first = changeLog.check();
  await hand.answer({});
  expect(await first).toBe(true);
  return { hand, changeLog };
}

describe('a change log', () => {
  it('makes callers during a check wait for the next check, which they share', async () => {
    const { hand, changeLog } = await open();
    const before = changeLog.position;
    const first = changeLog.check();
    const others = [changeLog.check(), changeLog.check()];
    await turns();
    expect(hand.asked).toHaveLength(2);
    await hand.answer(NOTHING);
    expect([await first, changeLog.position, hand.asked.length]).toEqual([true, before + 1, 3]);
    await hand.answer(CHANGED);
    expect(await Promise.all(others)).toEqual([true, true]);
    expect(hand.asked).toHaveLength(3);
    expect(changeLog.hasChanged(NOTES, before + 1)).toBe(true);
  });

  it('runs no two checks at the same time, whenever callers arrive', async () => {
    const { hand, changeLog } = await open();
    const before = changeLog.position;
    // Checks again right after the first check, before the waiting callers get theirs.
    const again = changeLog.check().then(() => changeLog.check());
    const waiting = changeLog.check();
    await hand.answer(NOTHING);
    await turns();
    expect(hand.asked).toHaveLength(3);
    await hand.answer(CHANGED);
    await hand.answer(NOTHING);
    expect(await Promise.all([again, waiting])).toEqual([true, true]);
    expect([hand.asked.length, changeLog.position]).toEqual([4, before + 3]);
    expect([before + 1, before + 2].map((position) => changeLog.hasChanged(NOTES, position))).toEqual([
      true,
      false,
    ]);
  });

  it('checks for altered tables after any commit, and then starts again', async () => {
    const { hand, changeLog } = await open();
    let altered = 0;
    changeLog.onAltered(() => (altered += 1));
    const before = changeLog.position;
    const first = changeLog.check();
    await hand.answer({ ...NOTHING, shape: '1:1' });
    expect([await first, changeLog.hasChanged(NOTES, before), altered]).toEqual([true, false, 0]);
    const second = changeLog.check();
    await hand.answer({ ...NOTHING, shape: '1:7' });
    await hand.answer({ shape: '1:7' });
    expect([await second, changeLog.hasChanged(NOTES, before), altered]).toEqual([true, true, 1]);
    expect(hand.asked).toHaveLength(4);
  });

  describe('without commits', () => {
    const STILL: Row = { snapshot: '1:1:' };

    async function openQuiet(): Promise<Awaited<ReturnType<typeof open>>> {
      const { hand, changeLog } = await open();
      const quiet = changeLog.check();
      await hand.answer({ ...NOTHING, ...STILL });
      await quiet;
      hand.kinds.length = 0;
      return { hand, changeLog };
    }

    it('reads only the snapshot, as long as it is unchanged', async () => {
      const { hand, changeLog } = await openQuiet();
      const before = changeLog.position;
      for (let i = 0; i < 3; i += 1) {
        const asking = changeLog.check();
        await hand.answer(STILL);
        expect(await asking).toBe(true);
      }
      expect(hand.kinds).toEqual(Array.from({ length: 3 }, () => 'glance'));
      expect([changeLog.position, changeLog.hasChanged(NOTES, before)]).toEqual([before + 3, false]);
    });

    it('reads changes after the snapshot changes, and at once the next time', async () => {
      const { hand, changeLog } = await openQuiet();
      const before = changeLog.position;
      const asking = changeLog.check();
      await hand.answer({});
      await hand.answer(CHANGED);
      expect([await asking, changeLog.hasChanged(NOTES, before)]).toEqual([true, true]);
      const next = changeLog.check();
      await hand.answer(NOTHING);
      expect([await next, hand.kinds]).toEqual([true, ['glance', 'check', 'check']]);
    });

    it.each([
      ['another server responds', { ...STILL, server: 'two' }],
      ['it is in recovery', { ...STILL, standby: true }],
    ])('does not treat the snapshot as unchanged when %s', async (_what, row) => {
      const { hand, changeLog } = await openQuiet();
      const before = changeLog.position;
      const asking = changeLog.check();
      await hand.answer(row);
      await hand.answer({ ...NOTHING, ...row });
      await hand.answer(row);
      await asking;
      expect(changeLog.hasChanged(NOTES, before)).toBe(true);
    });

    it('starts again when it was reset during a check', async () => {
      const { hand, changeLog } = await openQuiet();
      const before = changeLog.position;
      const asking = changeLog.check();
      await turns();
      changeLog.forget();
      await hand.answer(STILL);
      await hand.answer({ ...NOTHING, ...STILL });
      await hand.answer(STILL);
      expect([await asking, changeLog.hasChanged(NOTES, before)]).toEqual([true, true]);
    });
  });

  it('starts again when it was reset during a check', async () => {
    const { hand, changeLog } = await open();
    const before = changeLog.position;
    const asking = changeLog.check();
    await turns();
    changeLog.forget();
    await hand.answer(CHANGED);
    await hand.answer({});
    expect(await asking).toBe(true);
    // A reset makes all earlier reads outdated, even without a reader.
    expect(hand.asked).toHaveLength(3);
    expect([before, changeLog.position].map((position) => changeLog.hasChanged(NOTES, position))).toEqual([
      true,
      false,
    ]);
  });
});
