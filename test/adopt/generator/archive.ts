/** Archive of a world, as `strapi export` writes it. */
import { Dice } from '../../evolution/pairs/dice.ts';
import { linksOf } from './links.ts';
import { configurationLines, fileData, pluginLines } from './plugin-rows.ts';
import { rowsOf } from './rows.ts';
import { schemaLines } from './schemas.ts';
import { FILE, type World } from './source.ts';
import { type Entry, tarOf } from './tar.ts';

const VERSIONS = { v4: '4.25.24', v5: '5.54.0' } as const;

/** Lines of one file; `strapi export` begins a new file every 256 MB, and this one more often. */
const LINES = 400;

function parts(folder: string, lines: readonly object[]): Entry[] {
  const count = Math.max(1, Math.ceil(lines.length / LINES));
  return Array.from({ length: count }, (_, i) => ({
    name: `${folder}/${folder}_${String(i + 1).padStart(5, '0')}.jsonl`,
    body: Buffer.from(
      lines
        .slice(i * LINES, (i + 1) * LINES)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    ),
  }));
}

function assets(world: World): Entry[] {
  return world.files.flatMap((file, i) => {
    const name = `${file.hash}${file.ext}`;
    const { createdAt, updatedAt } = file;
    const metadata = { id: i + 1, ...fileData(world, file), createdAt, updatedAt };
    if (!file.isThere) return [];
    return [
      { name: `assets/metadata/${name}.json`, body: Buffer.from(JSON.stringify(metadata)) },
      { name: `assets/uploads/${name}`, body: file.bytes },
    ];
  });
}

/** Rows of other plugins, which have no counterpart. */
const STRANGERS: readonly object[] = [
  { type: 'admin::user', id: 1, data: { firstname: 'Ann', email: 'ann@example.com' } },
  { type: 'plugin::audit-log.entry', id: 1, data: { action: 'x' } },
];

/** Entries of the archive, in the order of the reference: `metadata.json` is the last. */
function entriesOf(world: World, seed: number): Entry[] {
  const dice = new Dice(seed);
  const rows = rowsOf(world, dice);
  const plugins = pluginLines(world);
  const links = linksOf(world, rows, dice);
  const metadata = {
    createdAt: '2026-01-01T00:00:00.000Z',
    strapi: { version: VERSIONS[world.model.flavour] },
  };
  const strangers = dice.chance(20) ? STRANGERS : [];
  return [
    ...parts('schemas', schemaLines(world.model)),
    ...parts('entities', [...strangers, ...plugins.entities, ...rows.entities]),
    ...assets(world),
    // Links of files come first in an archive.
    ...parts('links', [
      ...links.filter(({ left }) => left.type === FILE),
      ...plugins.links,
      ...links.filter(({ left }) => left.type !== FILE),
    ]),
    ...parts('configuration', configurationLines(world)),
    { name: 'metadata.json', body: Buffer.from(JSON.stringify(metadata, null, 2)) },
  ];
}

export const archiveOf = (world: World, seed: number): Buffer => tarOf(entriesOf(world, seed));
