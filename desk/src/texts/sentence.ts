/** Sentence with parts that a screen draws, such as a link. Each language puts them in its own order. */
export type Sentence = <T>(who: T, what: T, names: string) => readonly (T | string)[];
