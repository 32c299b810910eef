/** Errors that hooks of the application throw. */
import { HttpException } from '@nestjs/common';
import { ContentError, nameOfStatus } from '../../kernel/errors.js';

/** Returns the message of an exception of Nest. */
export function messageIn(exception: HttpException): string {
  const response = exception.getResponse();
  const message = typeof response === 'object' && 'message' in response ? response.message : null;
  return Array.isArray(message) ? message.join('; ') : exception.message;
}

/** Returns the error that a client gets for an HttpException of a hook; another error stays as it is. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof HttpException)) return error;
  const [status, { stack }] = [error.getStatus(), error];
  return Object.assign(new ContentError(nameOfStatus(status), messageIn(error)), { status, stack });
}
