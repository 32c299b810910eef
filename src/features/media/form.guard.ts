import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../content/access/caller.js';
import { ContentAccess } from '../../content/access/content-access.js';
import { forbidden } from '../../kernel/errors.js';
import { requireJson } from '../../content/http/json-body.js';
import { credentialsOf, type HttpRequest, stateOf } from '../../content/http/request-state.js';

const FORM_TYPE = /^multipart\/form-data\s*;/i;

export const isForm = ({ headers }: HttpRequest): boolean =>
  FORM_TYPE.test(String(headers['content-type'] ?? ''));

/**
 * Whether a form was sent by another site with the browser's own credentials, such as cookies. Browsers send
 * forms across sites without a preflight request, but declare their origin.
 */
const isForged = (request: HttpRequest, { kind }: Caller): boolean =>
  kind !== 'public' &&
  request.headers.authorization === undefined &&
  request.headers['sec-fetch-site'] === 'cross-site';

/** Authenticates the caller on routes that accept forms, and refuses bodies other than forms and JSON. */
@Injectable()
export class FormGuard implements CanActivate {
  constructor(@Inject(ContentAccess) private readonly access: ContentAccess) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const caller = await this.access.authenticate(credentialsOf(request));
    stateOf(request).caller = caller;
    if (!isForm(request)) requireJson(request);
    else if (isForged(request, caller)) throw forbidden();
    return true;
  }
}
