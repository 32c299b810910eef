import { access } from 'node:fs/promises';

/** Whether the process can find a file or folder. */
export const pathExists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
