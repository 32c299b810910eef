import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Post,
  Query,
  Redirect,
  Req,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { TokenClaims } from './json-web-tokens.js';
import { MailedCodes } from './mailed-codes.js';
import { type LimitedRequest, RateLimits } from './rate-limits.js';
import { fieldIn, readFields } from './read-fields.js';
import { type Issued, Sessions } from './sessions.js';
import { type SignedIn, SignIn } from './sign-in.service.js';
import { forbidden, notFound, validationError } from '../../kernel/errors.js';
import { PrivateGuard, callerOf } from '../../content/http/account.guard.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { Audited, Description } from '../../content/http/metadata.js';
import { credentialsOf, type HttpRequest } from '../../content/http/request-state.js';

type AddressedRequest = HttpRequest & { readonly ip?: string };

const asking = (route: string, { ip = '' }: AddressedRequest, identifier: unknown): LimitedRequest => ({
  route,
  address: ip,
  identifier,
});

/** `/api/auth/…` (protocol 19.1–19.13). */
@Controller({ path: 'auth', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(PrivateGuard)
@Description()
export class AuthController {
  constructor(
    @Inject(SignIn) private readonly signIn: SignIn,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(MailedCodes) private readonly codes: MailedCodes,
    @Inject(RateLimits) private readonly limits: RateLimits,
  ) {}

  @Audited({ action: 'sign-in' })
  @Post('local')
  @HttpCode(200)
  async local(@Req() request: AddressedRequest, @Body() body: unknown): Promise<SignedIn> {
    const attempt = asking('local', request, fieldIn(body, 'identifier'));
    return this.limits.attempt(attempt, () => this.signIn.local(body));
  }

  @Audited({ action: 'register' })
  @Post('local/register')
  @HttpCode(200)
  async register(@Req() request: AddressedRequest, @Body() body: unknown): Promise<SignedIn> {
    await this.limits.count(asking('register', request, fieldIn(body, 'email')));
    return this.signIn.register(body);
  }

  @Post('forgot-password')
  @HttpCode(200)
  async forgotPassword(
    @Req() request: AddressedRequest,
    @Body() body: unknown,
  ): Promise<{ readonly ok: true }> {
    await this.limits.count(asking('forgot-password', request, fieldIn(body, 'email')));
    return this.codes.forgotPassword(body);
  }

  @Audited({ action: 'reset-password' })
  @Post('reset-password')
  @HttpCode(200)
  async resetPassword(@Req() request: AddressedRequest, @Body() body: unknown): Promise<SignedIn> {
    const attempt = asking('reset-password', request, fieldIn(body, 'code'));
    return this.limits.attempt(attempt, () => this.signIn.resetPassword(body));
  }

  @Audited({ action: 'change-password' })
  @Post('change-password')
  @HttpCode(200)
  async changePassword(@Req() request: AddressedRequest, @Body() body: unknown): Promise<SignedIn> {
    const { kind, id } = callerOf(request);
    return this.limits.attempt(asking('change-password', request, id), () =>
      this.signIn.changePassword(kind === 'user' ? id : null, body),
    );
  }

  @Get('email-confirmation')
  @Redirect()
  async confirm(
    @Req() request: AddressedRequest,
    @Query('confirmation') token: unknown,
  ): Promise<{ readonly url: string; readonly statusCode: number }> {
    await this.limits.count(asking('email-confirmation', request, null));
    return { url: await this.codes.confirm(token), statusCode: 302 };
  }

  @Post('send-email-confirmation')
  @HttpCode(200)
  async sendConfirmation(
    @Req() request: AddressedRequest,
    @Body() body: unknown,
  ): Promise<{ readonly email: string; readonly sent: true }> {
    await this.limits.count(asking('send-email-confirmation', request, fieldIn(body, 'email')));
    return this.codes.sendConfirmation(body);
  }

  @Post('refresh')
  @HttpCode(200)
  async refresh(@Req() request: AddressedRequest, @Body() body: unknown): Promise<Issued> {
    this.needSessions();
    await this.limits.count(asking('refresh', request, null));
    if (typeof fieldIn(body, 'refreshToken') !== 'string') throw validationError('Missing refresh token');
    return this.sessions.refresh(readFields(body, { refreshToken: 'text' }).refreshToken);
  }

  @Audited({ action: 'sign-out' })
  @Post('logout')
  @HttpCode(200)
  async logout(@Req() request: HttpRequest): Promise<{ readonly ok: true }> {
    this.needSessions();
    const { id, session } = await this.claimsOf(request);
    await this.sessions.end(id, session);
    return { ok: true };
  }

  @Get('sessions')
  async list(@Req() request: HttpRequest): Promise<{ readonly data: readonly object[] }> {
    this.needSessions();
    const { id, session } = await this.claimsOf(request);
    return { data: await this.sessions.list(id, session) };
  }

  private claimsOf(request: HttpRequest): Promise<TokenClaims> {
    if (callerOf(request).kind !== 'user') throw forbidden();
    return this.sessions.claimsOf(credentialsOf(request).bearer);
  }

  private needSessions(): void {
    if (!this.sessions.enabled) throw notFound();
  }
}
