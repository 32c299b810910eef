/** Random files and folders of a media library. */
import type { Dice } from '../../evolution/pairs/dice.ts';
import { randomId, randomTime, type SourceFile, type SourceFolder } from './source.ts';

/** A picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const KINDS = [
  { ext: '.png', mime: 'image/png' },
  { ext: '.txt', mime: 'text/plain' },
  { ext: '.pdf', mime: 'application/pdf' },
] as const;

export function foldersOf(dice: Dice): SourceFolder[] {
  return Array.from({ length: dice.below(4) }, (_, i) => ({
    name: `Folder ${i}`,
    parent: i > 0 && dice.chance(50) ? dice.below(i) : null,
  }));
}

function bytesOf(dice: Dice, ext: string): Buffer {
  // Bytes after the last chunk of a PNG are no part of the picture, but of the file.
  const more = Buffer.from(Array.from({ length: dice.below(2000) }, () => dice.below(256)));
  return ext === '.png' ? Buffer.concat([PIXEL, more]) : Buffer.concat([Buffer.from('bytes '), more]);
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
    };
  });
}
