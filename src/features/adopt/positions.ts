/** Positions in lists that relations show on their inverse side: whole numbers, greater for later links. */

/** Factor for the fractions that positions of Strapi may have after links were moved. */
const SCALE = 1024;

export const wholePosition = (position: number): number =>
  Math.min(Math.max(Math.round(position * SCALE), 0), Number.MAX_SAFE_INTEGER);
