/** Lists with more choices than this have a search. */
const MANY = 10;

export const isLong = (choices: readonly unknown[]): boolean => choices.length > MANY;
