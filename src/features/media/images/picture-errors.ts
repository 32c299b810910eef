/** Errors of `sharp`, as content errors. */
import { isFilledText, isObject } from '../../../kernel/json.js';
import { ContentError, overLimit, validationError } from '../../../kernel/errors.js';

/** Write failures, which are faults of the server and not of the picture. */
const WRITING = /write error|unable to open for write/;

export interface PictureLimits {
  readonly maxPixels: number;
  readonly maxSide: number;
  readonly timeout: number;
}

/** Error of a picture over `maxPixels`; `weight` is the count of each of its pixels. */
export function tooManyPixels(maxPixels: number, weight = 1): ContentError {
  const counted = weight === 1 ? '' : `, each of which counts as ${weight}`;
  return overLimit('images.maxPixels', maxPixels, `An image has too many pixels${counted}`);
}

/** Error of a picture that could not be read, or not in time: a 400. */
export function pictureError(error: unknown, { maxPixels, timeout }: PictureLimits): unknown {
  if (error instanceof ContentError) return error;
  const { message }: Readonly<Record<string, unknown>> = isObject(error) ? error : {};
  if (!isFilledText(message) || WRITING.test(message)) return error;
  if (message.startsWith('timeout'))
    return overLimit('images.timeout', timeout, 'An image takes too long to read');
  if (message.includes('exceeds pixel limit')) return tooManyPixels(maxPixels);
  return validationError('File is not a valid image');
}
