/** Random files and folders of a media library. */
import { crc32, deflateSync } from 'node:zlib';
import type { Dice } from '../../evolution/pairs/dice.ts';
import { randomId, randomTime, type SourceFile, type SourceFolder } from './source.ts';

/** A chunk of a PNG. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}

/** A picture of one pixel in a random colour. */
function pixel(dice: Dice): Buffer {
  const size = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const colour = Buffer.from([0, dice.below(256), dice.below(256), dice.below(256)]);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...[chunk('IHDR', size), chunk('IDAT', deflateSync(colour)), chunk('IEND', Buffer.alloc(0))],
  ]);
}

const KINDS = [
  { ext: '.png', mime: 'image/png' },
  { ext: '.txt', mime: 'text/plain' },
  { ext: '.pdf', mime: 'application/pdf' },
  { ext: '', mime: 'text/plain' },
] as const;

export function foldersOf(dice: Dice): SourceFolder[] {
  return Array.from({ length: dice.below(4) }, (_, i) => ({
    name: `Folder ${i}`,
    parent: i > 0 && dice.chance(50) ? dice.below(i) : null,
  }));
}

function bytesOf(dice: Dice, ext: string): Buffer {
  if (ext === '.png') return pixel(dice);
  const text = 'bytes '.repeat(1 + dice.below(500)) + String(dice.below(1_000_000_000));
  return Buffer.from(ext === '.pdf' ? `%PDF-1.4\n% ${text}\n%%EOF\n` : text);
}

/** Files of another storage have a URL of it. */
function placeOf(dice: Dice, mime: string): Pick<SourceFile, 'isThere' | 'hasFormat' | 'provider'> {
  const isThere = dice.chance(90);
  return {
    isThere,
    hasFormat: mime === 'image/png' && dice.chance(50),
    provider: isThere && dice.chance(15) ? 'aws-s3' : 'local',
  };
}

export function filesOf(dice: Dice, folders: readonly SourceFolder[]): SourceFile[] {
  return Array.from({ length: 1 + dice.below(6) }, (_, i) => {
    const { ext, mime } = dice.pick(KINDS);
    const createdAt = randomTime(dice);
    const updatedAt = dice.chance(50) ? createdAt : randomTime(dice, Date.parse(createdAt));
    const long = dice.chance(10) ? 'long_'.repeat(30) : '';
    return {
      ...{ mark: `file ${i}${ext}`, documentId: randomId(dice), name: `file ${i}${ext}`, ext, mime },
      ...{ createdAt, updatedAt, publishedAt: createdAt },
      hash: `file_${long}${i}_${dice.below(1_000_000_000).toString(16).padStart(10, '0')}`,
      alternativeText: dice.chance(50) ? `alt ü ${i}` : null,
      caption: dice.chance(50) ? `caption "${i}"` : null,
      folder: folders.length > 0 && dice.chance(60) ? dice.below(folders.length) : null,
      bytes: bytesOf(dice, ext),
      ...placeOf(dice, mime),
    };
  });
}
