/** What `sharp` says of a picture, in this library's words. */
import { ContentError, overLimit, validationError } from '../../../kernel/errors.js';

/** Failures to write, which are the server's and not the picture's. */
const WRITING = /write error|unable to open for write/;

/** The limits that a picture has to keep. */
export interface PictureLimits {
  readonly maxPixels: number;
  readonly maxSide: number;
  readonly timeout: number;
}

/** The error of a picture over `maxPixels`; `weight` is what each of its pixels counts as. */
export function tooManyPixels(maxPixels: number, weight = 1): ContentError {
  const counted = weight === 1 ? '' : `, each of which counts as ${weight}`;
  return overLimit('images.maxPixels', maxPixels, `An image has too many pixels${counted}`);
}

/** The error of a picture that could not be read, or could not be read in time: a 400. */
export function pictureError(error: unknown, { maxPixels, timeout }: PictureLimits): unknown {
  if (error instanceof ContentError) return error;
  const { message = '' } = error as { readonly message?: string };
  if (message === '' || WRITING.test(message)) return error;
  if (message.startsWith('timeout'))
    return overLimit('images.timeout', timeout, 'An image takes too long to read');
  if (message.includes('exceeds pixel limit')) return tooManyPixels(maxPixels);
  return validationError('File is not a valid image');
}
