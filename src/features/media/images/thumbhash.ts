/** Thumbhash: a picture in 28 bytes, a placeholder while it loads. */
import type * as Thumbhash from 'thumbhash';
import { attempt, openPicture, type Source, type Tools } from './picture.js';

/** Largest side that the algorithm accepts. */
const SIDE = 100;

/** Loaded on first use, because the package is optional. */
const load = (): Promise<typeof Thumbhash> => import('thumbhash');

/** Returns the thumbhash of a picture's first frame, in base64. Needs the package `thumbhash`. */
export async function thumbhashOf(tools: Tools, { path }: Source, pixels: number): Promise<string> {
  const { rgbaToThumbHash } = await load();
  const make = async (): Promise<string> => {
    const small = openPicture(tools, { path, isAnimated: false }).resize(SIDE, SIDE, { fit: 'inside' });
    const { data, info } = await small.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
  };
  return tools.queue.goOn(() => attempt(tools, make), pixels);
}
