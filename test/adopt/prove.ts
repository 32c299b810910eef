/** Moves generated archives in and compares all answers with their worlds. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { snapshot } from '../http/helpers.ts';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { type Adopted, adoptedModel, startAdopted } from './app.ts';
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

/** Form of the archive of a number: each version of Strapi gets all of them in turn. */
const formOf = (number: number): Form => FORMS[(number + Math.floor(number / 4)) % FORMS.length] ?? '.tar';

/** Writes the archive of a number of a seed: both versions of Strapi and all forms take turns. */
export async function subjectOf(seed: number, number: number, folder: string): Promise<Subject> {
  const own = seed * 1_000_003 + number;
  const world = worldOf(own, number % 2 === 0 ? 'v5' : 'v4');
  const form = formOf(number);
  const file = join(folder, `archive-${number}${form}`);
  await writeFile(file, sealed(archiveOf(world, own), form, KEY));
  return { world, file, form };
}

/** Output of a run that finds every document as it left it. */
const SAME = /^Moved: 0 new, 0 replaced, \d+ unchanged, 0 left out;/;

/** Lines of the report about documents that exist with other content. */
async function differing({ folder }: Adopted): Promise<string[]> {
  const report = await readFile(join(folder, 'report.md'), 'utf8');
  return report.split('\n').filter((line) => line.includes('exist with other content'));
}

/** Moves an archive in twice, and compares. The second run must change nothing and find no difference. */
export async function prove({ world, file }: Subject, database: TestDatabase): Promise<Comparison> {
  await emptyDatabase(database);
  const host = await startAdopted(await adoptedModel(file, KEY), database);
  try {
    await host.adopt(file, '--key', KEY);
    const before = await snapshot(host);
    const said = await host.adopt(file, '--key', KEY);
    const after = await snapshot(host);
    const changed = Object.keys({ ...before, ...after }).filter(
      (table) => JSON.stringify(before[table]) !== JSON.stringify(after[table]),
    );
    const again = [
      ...changed.map((table) => `the second run changed ${table}`),
      ...(SAME.test(said) ? [] : [`the second run says ${said}`]),
      ...(await differing(host)),
    ];
    // The comparison signs users in, which changes them.
    const first = await compare(host, world);
    return { differences: [...first.differences, ...again], answers: first.answers };
  } finally {
    await host.close();
  }
}
