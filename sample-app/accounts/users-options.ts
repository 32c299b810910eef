import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { UsersOptions } from 'nestjs-content-api/accounts';
import { IN_MEMORY } from '../database/atlas-database.js';
import { FileMail } from './file-mail.js';

export interface AccountSettings {
  /** Secret that signs user tokens. Default: a random one, so that tokens end with the process. */
  readonly jwtSecret?: string;
  readonly dataFolder: string;
  readonly log: (line: string) => void;
}

/** Options of users: token secret, and a mail sender that writes files. */
export function usersOptions({
  jwtSecret = randomBytes(32).toString('base64'),
  dataFolder,
  log,
}: AccountSettings): UsersOptions {
  return { secret: jwtSecret, mail: new FileMail(folderBeside(dataFolder, 'mail'), log) };
}

/** Folder next to the data; a temporary folder for data in memory. */
export const folderBeside = (dataFolder: string, name: string): string =>
  dataFolder === IN_MEMORY
    ? join(tmpdir(), `atlas-${name}-${randomBytes(8).toString('hex')}`)
    : join(dirname(dataFolder), name);
