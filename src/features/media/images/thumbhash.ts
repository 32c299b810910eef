/** A picture in 28 bytes, to show until it has come. */
import type * as Thumbhash from 'thumbhash';
import { openPicture, type Source, type Tools, work } from './picture.js';

/** The largest side that the algorithm takes. */
const SIDE = 100;

/** Needed only by those who ask for it. */
const load = (): Promise<typeof Thumbhash> => import('thumbhash');

/** The thumbhash of a picture's first frame, in base64. Needs the package `thumbhash`. */
export async function thumbhashOf(tools: Tools, { path }: Source, pixels: number): Promise<string> {
  const { rgbaToThumbHash } = await load();
  const make = async (): Promise<string> => {
    const small = openPicture(tools, { path, isAnimated: false }).resize(SIDE, SIDE, { fit: 'inside' });
    const { data, info } = await small.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
  };
  return work(tools, make, pixels);
}
