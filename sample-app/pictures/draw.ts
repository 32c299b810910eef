/** Draws PNG images from the SVG flags of the package `world-countries`. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp from 'sharp';

const FLAGS = join(dirname(createRequire(import.meta.url).resolve('world-countries')), 'data');
const FLAG = { width: 640 };
const COVER = { width: 1200, height: 630, background: '#f4f1ea' };
const GAP = 30;

const flagFile = (cca3: string): string => join(FLAGS, `${cca3.toLowerCase()}.svg`);

/** Returns the flag of a country as PNG, 640 pixels wide. */
export const drawFlag = (cca3: string): Promise<Buffer> =>
  sharp(flagFile(cca3), { density: 96 }).resize(FLAG).png().toBuffer();

/** Returns the flags of some countries side by side as PNG, 1200 × 630 pixels. */
export async function drawCover(countries: readonly string[]): Promise<Buffer> {
  const { width, height, background } = COVER;
  const column = Math.floor((width - GAP) / countries.length);
  const flags = await Promise.all(
    countries.map(async (cca3, i) => {
      const box = { width: column - GAP, height: height - 2 * GAP, fit: 'inside' as const };
      const flag = sharp(flagFile(cca3), { density: 96 }).resize(box).png();
      const { data, info } = await flag.toBuffer({ resolveWithObject: true });
      return { input: data, left: GAP + i * column, top: Math.round((height - info.height) / 2) };
    }),
  );
  return sharp({ create: { width, height, channels: 3, background } })
    .composite(flags)
    .png()
    .toBuffer();
}
