import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { UsersOptions } from 'nestjs-content-api/accounts';
import { IN_MEMORY } from '../database/atlas-database.js';
import { FileMail } from './file-mail.js';

export interface AccountSettings {
  /** Signs the tokens of users. Without one a random one is made: tokens end with the process. */
  readonly jwtSecret?: string;
  readonly dataFolder: string;
  readonly log: (line: string) => void;
}

/** Users sign in with a token that `jwtSecret` signs, and get their mail as files. */
export function usersOptions({
  jwtSecret = randomBytes(32).toString('base64'),
  dataFolder,
  log,
}: AccountSettings): UsersOptions {
  return { secret: jwtSecret, mail: new FileMail(folderBeside(dataFolder, 'mail'), log) };
}

/** A folder beside the data; a temporary one for data in memory. */
export const folderBeside = (dataFolder: string, name: string): string =>
  dataFolder === IN_MEMORY
    ? join(tmpdir(), `atlas-${name}-${randomBytes(8).toString('hex')}`)
    : join(dirname(dataFolder), name);
