/** The start is refused: `mistakes` lists everything that is wrong with the model or the grants. */
export class ContentModelError extends Error {
  constructor(readonly mistakes: readonly string[]) {
    super(
      `The content model has ${mistakes.length} mistake${mistakes.length === 1 ? '' : 's'}:\n${mistakes.map((m) => `  - ${m}`).join('\n')}`,
    );
    this.name = 'ContentModelError';
  }
}
