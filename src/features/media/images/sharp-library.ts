/** `sharp`, which hosts may do without: asked for when the first picture comes, and never before. */
import type sharp from 'sharp';

export type SharpLibrary = typeof sharp;

/** Where the library comes from. Tests give another. */
export type LoadSharp = () => Promise<{ readonly default: SharpLibrary }>;

const importSharp: LoadSharp = () => import('sharp');

const isMissing = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null)?.code === 'ERR_MODULE_NOT_FOUND';

/**
 * The library, or null where it is not installed. Its cache is of use to those who make the same picture
 * again and again, which is never done here; it is off for the whole process.
 */
export async function loadSharp(load: LoadSharp = importSharp): Promise<SharpLibrary | null> {
  try {
    const { default: library } = await load();
    library.cache(false);
    return library;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
