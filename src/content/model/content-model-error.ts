const SUBJECTS = {
  model: 'The content model has',
  options: 'The options have',
  grants: 'The grants have',
  hooks: 'The hooks have',
  providers: 'The providers have',
  routes: 'The routes have',
} as const;

export type MistakeSubject = keyof typeof SUBJECTS;

/**
 * Error that stops the start of the application. `mistakes` lists everything wrong in the model, options,
 * grants, hooks, providers or routes. The message names that subject, counts the mistakes and lists them.
 *
 * @publicApi
 */
export class ContentModelError extends Error {
  constructor(
    readonly mistakes: readonly string[],
    subject: MistakeSubject = 'model',
  ) {
    const count = `${mistakes.length} mistake${mistakes.length === 1 ? '' : 's'}`;
    super(`${SUBJECTS[subject]} ${count}:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
    this.name = 'ContentModelError';
  }
}

export interface Mistake {
  readonly definition: unknown;
  readonly attribute: string | null;
  readonly text: string;
}
