/** Moves generated archives in and compares all answers with their worlds. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Dice } from '../evolution/pairs/dice.ts';
import { snapshot } from '../http/helpers.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { adoptedModel, startAdopted } from './app.ts';
import { compare, type Comparison } from './compare.ts';
import { archiveOf } from './generator/archive.ts';
import { worldOf } from './generator/content.ts';
import type { World } from './generator/source.ts';
import { type Form, FORMS, sealed } from './generator/tar.ts';

export interface Subject {
  readonly world: World;
  readonly file: string;
  readonly form: Form;
}

export const KEY = 'correct horse battery';

/** Writes the archive of a number of a seed: both versions of Strapi and all forms take turns. */
export async function subjectOf(seed: number, number: number, folder: string): Promise<Subject> {
  const own = seed * 1_000_003 + number;
  const world = worldOf(own, number % 2 === 0 ? 'v5' : 'v4');
  const form = FORMS[new Dice(own).below(FORMS.length)] ?? '.tar';
  const file = join(folder, `archive-${number}${form}`);
  await writeFile(file, sealed(archiveOf(world, own), form, KEY));
  return { world, file, form };
}

/** Moves an archive in, compares, and moves it in again, which must change nothing. */
export async function prove({ world, file }: Subject, database: TestDatabase): Promise<Comparison> {
  await emptyDatabase(database);
  const host = await startAdopted(await adoptedModel(file, KEY), database);
  try {
    await host.adopt(file, '--key', KEY);
    const first = await compare(host, world);
    const before = await snapshot(host);
    await host.adopt(file, '--key', KEY);
    const after = await snapshot(host);
    const changed = Object.keys({ ...before, ...after }).filter(
      (table) => JSON.stringify(before[table]) !== JSON.stringify(after[table]),
    );
    const again = changed.map((table) => `the second run changed ${table}`);
    return { differences: [...first.differences, ...again], answers: first.answers };
  } finally {
    await host.close();
  }
}
