import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { ContentAccess } from '../access/content-access.js';
import { forbidden } from '../errors.js';
import { requireJson } from './json-body.js';
import { credentialsOf, type HttpRequest, stateOf } from './request-state.js';

const FORM_TYPE = /^multipart\/form-data\s*;/i;

/** Whether a request has a form for its body. */
export const isForm = ({ headers }: HttpRequest): boolean =>
  FORM_TYPE.test(String(headers['content-type'] ?? ''));

/**
 * Whether another site has a visitor's browser send a form with what the browser itself knows of the visitor.
 * Browsers ask no permission for forms, but say where they come from.
 */
const isForged = (request: HttpRequest, { kind }: Caller): boolean =>
  kind !== 'public' &&
  request.headers.authorization === undefined &&
  request.headers['sec-fetch-site'] === 'cross-site';

/** Finds out who asks, on routes that take forms; bodies of other kinds but JSON are refused. */
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
