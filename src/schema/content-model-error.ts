/** What can be wrong, as the head line of the message says it. */
const SUBJECTS = {
  model: 'The content model has',
  options: 'The options have',
  grants: 'The grants have',
  hooks: 'The hooks have',
  providers: 'The providers have',
  routes: 'The routes have',
} as const;

/** What the mistakes are in. */
export type MistakeSubject = keyof typeof SUBJECTS;

/**
 * The start is refused: `mistakes` lists everything that is wrong with the model, or with the options, the
 * grants, the hooks, the marked providers or the routes. The message counts and lists them, and says in what
 * they are.
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

/** What is wrong, and where: in a whole definition, or in one attribute of it. */
export interface Mistake {
  readonly definition: unknown;
  readonly attribute: string | null;
  readonly text: string;
}
