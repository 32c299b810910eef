/** Errors of commands as sentences that say what to do. */
import { codeOf, messageOf } from '../kernel/errors.js';
import { isObject, isText } from '../kernel/json.js';
import { driverError, firstLine, outageReason } from '../kernel/postgres-errors.js';
import { UsageError } from './command.js';

const FILE_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ENOENT: 'it does not exist, or its folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

function fileReason(error: unknown): string | null {
  const path = isObject(error) ? error['path'] : undefined;
  const reason = FILE_REASONS[codeOf(error)];
  return isText(path) && reason !== undefined ? `Cannot use ${path}: ${reason}` : null;
}

/** SQLSTATE of a missing privilege. */
const DENIED = '42501';

function databaseReason(error: unknown): string | null {
  const code = driverError(error)?.code;
  if (code === DENIED) return `${firstLine(error)}. Grant the privilege to the role of the connection`;
  const outage = outageReason(error);
  if (outage === null) return null;
  // The address of a network error may be that of a storage, too.
  return code === undefined
    ? `${outage}. Check that the server runs, and its address`
    : `The database cannot be used: ${outage}`;
}

/** Returns the error with a message for the user, and the original as its cause. */
export function explained(error: unknown): Error {
  if (error instanceof UsageError) return error;
  const message = fileReason(error) ?? databaseReason(error) ?? messageOf(error);
  return new UsageError(message, { cause: error });
}
