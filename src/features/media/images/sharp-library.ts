/** `sharp`, an optional peer: loaded with the first picture, and never before. */
import { codeOf } from '../../../kernel/errors.js';
import type sharp from 'sharp';

export type SharpLibrary = typeof sharp;

/** Loader of the library, which tests replace. */
export type LoadSharp = () => Promise<{ readonly default: SharpLibrary }>;

const importSharp: LoadSharp = () => import('sharp');

/**
 * Returns the library, or null if it is not installed. Turns its cache off for the whole process, because no
 * picture is made twice here.
 */
export async function loadSharp(load: LoadSharp = importSharp): Promise<SharpLibrary | null> {
  try {
    const { default: library } = await load();
    library.cache(false);
    return library;
  } catch (error) {
    if (codeOf(error) === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}
