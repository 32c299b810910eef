const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Returns a title for a sentence or a list: letters from right to left change the order of no others. */
export const isolated = (title: string): string =>
  RIGHT_TO_LEFT.test(title) ? `\u2068${title}\u2069` : title;
