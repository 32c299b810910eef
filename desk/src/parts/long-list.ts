/** Entries of a list of choices from which on editors search instead of scrolling. */
const MANY = 10;

export const isLong = (choices: readonly unknown[]): boolean => choices.length > MANY;
