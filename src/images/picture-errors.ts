/** What `sharp` says of a picture, in this library's words. */
import { ContentError, overLimit, validationError } from '../errors.js';

/** Failures to write, which are the server's and not the picture's. */
const WRITING = /write error|unable to (?:open for )?write|No space left/;

/** The limits that a picture has to keep. */
export interface PictureLimits {
  readonly maxPixels: number;
  readonly timeout: number;
}

/** Throws for a picture with more pixels than are read. */
export function checkPixels(pixels: number, { maxPixels }: PictureLimits): void {
  if (pixels > maxPixels) throw overLimit('images.maxPixels', maxPixels, `An image has ${pixels} pixels`);
}

/** The error of a picture that could not be read, or could not be read in time: a 400. */
export function pictureError(error: unknown, { maxPixels, timeout }: PictureLimits): unknown {
  if (error instanceof ContentError || !(error instanceof Error)) return error;
  if (WRITING.test(error.message)) return error;
  if (error.message.startsWith('timeout'))
    return overLimit('images.timeout', timeout, 'An image takes too long to read');
  if (error.message.includes('exceeds pixel limit'))
    return overLimit('images.maxPixels', maxPixels, 'An image has too many pixels');
  return validationError('File is not a valid image');
}
