/** Questions to the user of a command. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

export interface Terminal {
  /** Whether a user can answer. Otherwise answers are lines of the standard input. */
  readonly isInteractive: boolean;
  /** Returns an answer without its line break; empty at the end of the input. A secret one is not shown. */
  ask(question: string, isSecret?: boolean): Promise<string>;
}

/** Terminal of the process. It opens the standard input for a question only, so that the process can end. */
export function processTerminal({ stdin, stderr }: NodeJS.Process): Terminal {
  const isInteractive = stdin.isTTY;
  return {
    isInteractive,
    async ask(question, isSecret = false) {
      if (isInteractive) stderr.write(question);
      const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
      const lines = createInterface({
        input: stdin,
        terminal: isInteractive,
        ...(isInteractive ? { output: isSecret ? hidden : stderr } : {}),
      });
      try {
        const { value } = await lines[Symbol.asyncIterator]().next();
        return value ?? '';
      } finally {
        lines.close();
        if (isInteractive && isSecret) stderr.write('\n');
      }
    },
  };
}
