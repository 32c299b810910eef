import type { HttpAdapterHost } from '@nestjs/core';
import { isText } from '../../kernel/json.js';

/** Adds names of request headers to the `Vary` of a response, after those that it already has. */
export function varyBy({ httpAdapter }: HttpAdapterHost, response: object, names: string): void {
  const before: unknown = httpAdapter.getHeader(response, 'Vary');
  httpAdapter.setHeader(response, 'Vary', [...[before].flat().filter(isText), names].join(', '));
}
