/** Checks of the change log that overlap. */
import { defineCollectionType } from 'nestjs-content-api';
import type * as KeeperRoom from '../../src/cache/change-log-keeper.ts';
import type * as BuildSchema from '../../src/content/model/build-schema.ts';
import { loadRoom } from '../support/rooms.ts';

const { ChangeLogKeeper } = await loadRoom<typeof KeeperRoom>('cache/change-log-keeper');
const { buildSchema } = await loadRoom<typeof BuildSchema>('content/model/build-schema');

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  attributes: { title: { type: 'string' } },
});

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Returns a keeper, and the answers to its statements that wait. */
function startKeeper() {
  const waiting: ((rows: Rows) => void)[] = [];
  const run = (): Promise<Rows> => new Promise((resolve) => waiting.push(resolve));
  const keeper = new ChangeLogKeeper({
    database: { run } as never,
    schema: buildSchema([page], []),
    warn: () => undefined,
    isStopping: () => false,
  });
  return { keeper, waiting };
}

/** Answers the three statements of a check: nothing is missing. */
async function finish(waiting: ((rows: Rows) => void)[], first: (rows: Rows) => void): Promise<void> {
  first([]);
  for (let statement = 0; statement < 2; statement += 1) {
    while (waiting.length === 0) await new Promise(setImmediate);
    waiting.shift()?.([]);
  }
}

it('a check that a doubt overtakes says nothing, whether it ends before or after the later check', async () => {
  for (const endsFirst of [true, false]) {
    const { keeper, waiting } = startKeeper();
    const early = keeper.checkLog();
    keeper.doubt();
    const late = keeper.checkLog();
    const [first, second] = waiting.splice(0);
    if (first === undefined || second === undefined) throw new Error('two checks must wait');
    if (endsFirst) {
      first([]);
      await early;
      expect(keeper.isWhole).toBe(false);
    }
    await finish(waiting, second);
    await late;
    expect(keeper.isWhole).toBe(true);
    first([]);
    await early;
    expect(keeper.isWhole).toBe(true);
  }
});

it('a check that began earlier does not replace the result of a later one', async () => {
  const { keeper, waiting } = startKeeper();
  const early = keeper.checkLog();
  const late = keeper.checkLog();
  const [first, second] = waiting.splice(0);
  if (first === undefined || second === undefined) throw new Error('two checks must wait');
  await finish(waiting, second);
  await late;
  first([{ name: 'pages', why: 'has no triggers' }]);
  expect(await early).toBe(true);
  expect(keeper.isWhole).toBe(true);
});

it('a check that fails asks to be repeated', async () => {
  const keeper = new ChangeLogKeeper({
    database: { run: () => Promise.reject(new Error('no connection')) } as never,
    schema: buildSchema([page], []),
    warn: () => undefined,
    isStopping: () => false,
  });
  expect(await keeper.checkLog()).toBe(false);
  expect(keeper.isWhole).toBe(false);
});
