/** What archives leave where it is: whoever had it could sign in as somebody else. */
import type { Withheld } from '../schema/archive.js';
import { apiTokenType, userTypes } from './account-types.js';

const [USER] = userTypes();

/** By table. Passwords stay everywhere; users have no sessions and no mailed codes in an archive. */
export const WITHHELD: Withheld = {
  [String(apiTokenType.tableName)]: 'all',
  [USER.tableName]: ['sessions', 'resetPasswordToken', 'resetPasswordExpires', 'confirmationToken'],
};
