/** Columns that archives exclude, because they would let a reader sign in as another user. */
import type { Withheld } from '../../content/model/archive.js';
import { apiTokenType, userTypes } from './account-types.js';

const [USER] = userTypes();

/** Excluded columns by table. Passwords are excluded everywhere. */
export const WITHHELD: Withheld = {
  [String(apiTokenType.tableName)]: 'all',
  [USER.tableName]: ['sessions', 'resetPasswordToken', 'resetPasswordExpires', 'confirmationToken'],
};
