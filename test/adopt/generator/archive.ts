/** Archive of a world, as `strapi export` writes it. */
import { Dice } from '../../evolution/pairs/dice.ts';
import { type LinkLine, linksOf } from './links.ts';
import { configurationLines, fileData, formatOf, pluginLines } from './plugin-rows.ts';
import { rowsOf } from './rows.ts';
import { schemaLines } from './schemas.ts';
import { FILE, type World } from './source.ts';
import { type Entry, styled, tarOf } from './tar.ts';

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
    const data = fileData(world, file);
    // Strapi 4 joins the hash and the extension, which can be null.
    const name = `${file.hash}${world.model.flavour === 'v4' ? String(data['ext']) : file.ext}`;
    const { createdAt, updatedAt, bytes } = file;
    const metadata = { id: i + 1, ...data, createdAt, updatedAt };
    if (!file.isThere) return [];
    const format = formatOf(file);
    const asset = (one: string, about: object): Entry[] => [
      { name: `assets/metadata/${one}.json`, body: Buffer.from(JSON.stringify(about)) },
      { name: `assets/uploads/${one}`, body: bytes },
    ];
    return [
      ...asset(name, metadata),
      ...(format === null
        ? []
        : asset(`${format.hash}${format.ext}`, {
            ...{ ...format, type: 'thumbnail', id: i + 1, mainHash: file.hash },
          })),
    ];
  });
}

/** Type whose schema was deleted. */
const GONE = 'api::gone.gone';

/** Rows of Strapi itself, of other plugins and of deleted types, which have no counterpart. */
const STRANGERS: readonly object[] = [
  { type: 'admin::user', id: 1, data: { firstname: 'Ann', email: 'ann@example.com' } },
  { type: 'admin::api-token', id: 1, data: { name: 'Read only', type: 'read-only', accessKey: 'x' } },
  { type: 'admin::transfer-token', id: 1, data: { name: 'Transfer' } },
  { type: 'plugin::content-releases.release', id: 1, data: { name: 'Spring' } },
  { type: 'plugin::audit-log.entry', id: 1, data: { action: 'x' } },
  { type: GONE, id: 1, data: { documentId: 'gone', title: 'Deleted type' } },
];

/** Links of such rows, and of rows to administrators. */
function strangeLinks({ model: { types, components } }: World): LinkLine[] {
  const [type, component] = [types[0]?.uid ?? '', components[0]?.uid ?? ''];
  const link = (left: LinkLine['left'], right: LinkLine['right']): LinkLine => ({
    ...{ kind: 'relation.basic', relation: 'oneToOne', left, right },
  });
  return [
    link({ type, ref: 1, field: 'createdBy' }, { type: 'admin::user', ref: 1 }),
    link({ type: GONE, ref: 1, field: 'of' }, { type, ref: 1, pos: 1 }),
    link({ type: component, ref: 777_777, field: 'gone' }, { type, ref: 1 }),
    link({ type: 'plugin::content-releases.release-action', ref: 1, field: 'entry' }, { type, ref: 1 }),
    {
      ...{ kind: 'relation.morph', relation: 'morphToMany' },
      left: { type: FILE, ref: 1, field: 'related' },
      right: { type: GONE, ref: 1, field: 'picture', pos: 1 },
    },
  ];
}

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
  const hasStrangers = dice.chance(20);
  const strangers = hasStrangers ? STRANGERS : [];
  return [
    ...parts('schemas', schemaLines(world.model)),
    ...parts('entities', [...strangers, ...plugins.entities, ...rows.entities]),
    ...assets(world),
    // Links of files come first in an archive.
    ...parts('links', [
      ...links.filter(({ left }) => left.type === FILE),
      ...(hasStrangers ? strangeLinks(world) : []),
      ...plugins.links,
      ...links.filter(({ left }) => left.type !== FILE),
    ]),
    ...parts('configuration', configurationLines(world)),
    { name: 'metadata.json', body: Buffer.from(JSON.stringify(metadata, null, 2)) },
  ];
}

export const archiveOf = (world: World, seed: number): Buffer =>
  tarOf(styled(entriesOf(world, seed), new Dice(seed + 1)));
