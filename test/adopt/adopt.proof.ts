import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dice } from '../evolution/pairs/dice.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { proveKills } from './kill.ts';
import { prove, subjectOf } from './prove.ts';

/** Both versions of Strapi, in all forms of the archive. */
const NUMBERS = [0, 1, 2, 3, 4, 5];
/** One archive of each form. */
const KILLED = [8, 9, 10, 11];

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archives-'));
  database = await createDatabase();
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

it.each(NUMBERS)(
  'moves archive %i in with every value, link, state, locale, time and file',
  async (number) => {
    const { differences, answers } = await prove(await subjectOf(7, number, folder), database);
    expect(differences).toEqual([]);
    expect(answers).toBeGreaterThan(5);
  },
);

it.each(KILLED)('moves archive %i in after kills at random moments', async (number) => {
  const { differences, killed } = await proveKills(await subjectOf(7, number, folder), {
    times: 2,
    dice: new Dice(7),
  });
  expect(differences).toEqual([]);
  expect(killed).toBeGreaterThan(0);
});
