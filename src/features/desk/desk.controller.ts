import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { refusal, unauthorized } from '../../content/access/auth-strategy.js';
import { userOf } from '../../content/access/caller.js';
import { AccountGuard, callerOf, callerWith } from '../../content/http/account.guard.js';
import type {
  EditorAccounts,
  EditorPeople,
  EditorSession,
  ListedRole,
  ListedSession,
} from '../../content/http/editor-accounts.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { Audited, Description, Json } from '../../content/http/metadata.js';
import { credentialsOf, type HttpRequest, queryOf, stateOf } from '../../content/http/request-state.js';
import { DESK_GRANT } from '../../content/model/naming.js';
import { ContentError, forbidden, notFound } from '../../kernel/errors.js';
import { cookieOf, tokenIn } from './desk-cookie.js';
import { DeskDescriptions, documentPlaceOf } from './desk-descriptions.js';
import type { DeskModel, DeskType } from './desk-model.js';
import { type DeskPreview, DeskPreviews, previewedOf } from './desk-previews.js';
import { DeskPresence, formSignOf, type PresentEditor } from './desk-presence.js';
import { deskLink, DeskSite } from './desk-site.js';
import { DESK_OPTIONS, type ResolvedDeskOptions } from './desk.options.js';
import { mayWriteUser } from './describe-people.js';
import { SameOriginGuard, SessionGuard, type SessionRequest } from './same-origin.guard.js';

type Answer = Pick<EditorSession, 'jwt' | 'expiresIn' | 'user'>;

/** Request and response of one exchange. */
interface Exchange {
  readonly request: SessionRequest;
  readonly response: object;
}

/** Returns the document id of the user who sends a request. Throws ForbiddenError for other callers. */
function idOfUser(request: object): string {
  const id = userOf(callerOf(request));
  if (id === null) throw forbidden();
  return id;
}

/** Routes of the desk: its model, under the grant `open` on `desk`, and the session of an editor. */
@Controller({ path: 'desk', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@Description()
export class DeskController {
  constructor(
    @Inject(DeskSite) private readonly site: DeskSite,
    @Inject(DESK_OPTIONS) private readonly options: ResolvedDeskOptions,
    @Inject(DeskDescriptions) private readonly descriptions: DeskDescriptions,
    @Inject(DeskPreviews) private readonly previews: DeskPreviews,
    @Inject(DeskPresence) private readonly presence: DeskPresence,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
  ) {}

  @Get('model')
  @UseGuards(AccountGuard)
  @Header('Cache-Control', 'no-store')
  model(@Req() request: object, @Query('language') language: unknown): { readonly data: DeskModel } {
    const caller = callerWith(request, DESK_GRANT, 'open');
    const described = this.descriptions.of(caller, this.site.languageOf(language));
    return { data: { ...described, ...this.site.screensFor(caller) } };
  }

  /** Permitted actions on one document, which matter if grants cover some documents only. */
  @Get('verbs')
  @UseGuards(AccountGuard)
  @Header('Cache-Control', 'no-store')
  async verbs(
    @Req() request: object,
    @Query() query: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly data: DeskType['verbs'] }> {
    const caller = callerWith(request, DESK_GRANT, 'open');
    return { data: await this.descriptions.verbsOn(documentPlaceOf(query), caller) };
  }

  /** Roles with their grants, those of the code included. */
  @Get('roles')
  @UseGuards(AccountGuard)
  @Header('Cache-Control', 'no-store')
  async roles(@Req() request: object): Promise<{ readonly data: readonly ListedRole[] }> {
    callerWith(request, 'role', 'find');
    callerWith(request, 'role', 'findOne');
    return { data: await this.people.roles() };
  }

  /** The code sets the password of the user: the caller needs the permission to do so itself. */
  @Audited({ action: 'invite' })
  @Post('users/:id/invitation')
  @UseGuards(SameOriginGuard, AccountGuard)
  async invite(
    @Req() request: object,
    @Param('id') id: string,
  ): Promise<{ readonly data: { readonly code: string; readonly link: string | null } }> {
    this.needUpdate(request, 'password');
    if (this.site.sessions === null) throw notFound();
    const code = await this.people.inviteAgain(id);
    const { url } = this.options;
    return { data: { code, link: url === null ? null : deskLink(url.href, 'invitation', code) } };
  }

  /** A block ends all sessions as well, so that both need the same permission. */
  @Audited({ action: 'end-sessions' })
  @Delete('users/:id/sessions')
  @HttpCode(204)
  @UseGuards(SameOriginGuard, AccountGuard)
  async endSessions(@Req() request: object, @Param('id') id: string): Promise<void> {
    this.needUpdate(request, 'blocked');
    await this.people.endSessions(id);
  }

  @Get('account/sessions')
  @UseGuards(SessionGuard, AccountGuard)
  async ownSessions(@Req() request: HttpRequest): Promise<{ readonly data: readonly ListedSession[] }> {
    return { data: await this.people.sessionsOf(idOfUser(request), credentialsOf(request).bearer) };
  }

  @Audited({ action: 'end-session' })
  @Delete('account/sessions/:session')
  @HttpCode(204)
  @UseGuards(SessionGuard, AccountGuard)
  async endOwnSession(@Req() request: HttpRequest, @Param('session') session: string): Promise<void> {
    await this.people.endSession(idOfUser(request), session);
  }

  /** Sets another password of the caller. The session goes on with a new token, all others end. */
  @Audited({ action: 'change-password' })
  @Post('session/password')
  @HttpCode(200)
  @UseGuards(SessionGuard, AccountGuard)
  changePassword(
    @Req() request: SessionRequest,
    @Res({ passthrough: true }) response: object,
    @Body() body: unknown,
  ): Promise<Answer> {
    const id = idOfUser(request);
    return this.begin({ request, response }, (accounts) =>
      accounts.changePassword(id, { address: request.ip ?? '', body }),
    );
  }

  @Audited({ action: 'sign-in' })
  @Post('session')
  @HttpCode(200)
  @UseGuards(SessionGuard)
  signIn(
    @Req() request: SessionRequest,
    @Res({ passthrough: true }) response: object,
    @Body() body: unknown,
  ): Promise<Answer> {
    return this.begin({ request, response }, (accounts) =>
      accounts.signIn({ address: request.ip ?? '', body }),
    );
  }

  @Post('session/refresh')
  @HttpCode(200)
  @UseGuards(SessionGuard)
  async refresh(
    @Req() request: SessionRequest,
    @Res({ passthrough: true }) response: object,
  ): Promise<Answer> {
    const token = tokenIn(request.headers['cookie']);
    try {
      if (token === null) throw unauthorized('There is no session');
      return await this.begin({ request, response }, (accounts) => accounts.refresh(token, request.ip ?? ''));
    } catch (error) {
      if (error instanceof ContentError && [401, 403].includes(error.status))
        this.setCookie({ request, response }, '', 0);
      throw error;
    }
  }

  @Audited({ action: 'sign-out' })
  @Delete('session')
  @HttpCode(204)
  @UseGuards(SessionGuard)
  async signOut(@Req() request: SessionRequest, @Res({ passthrough: true }) response: object): Promise<void> {
    const token = tokenIn(request.headers['cookie']);
    const id = token === null ? null : await this.accounts.end(token);
    if (id !== null) stateOf(request).audited = { actor: { kind: 'user', id } };
    this.setCookie({ request, response }, '', 0);
  }

  @Audited({ action: 'reset-password' })
  @Post(['session/invitation', 'session/reset'])
  @HttpCode(200)
  @UseGuards(SessionGuard)
  setPassword(
    @Req() request: SessionRequest,
    @Res({ passthrough: true }) response: object,
    @Body() body: unknown,
  ): Promise<Answer> {
    return this.begin({ request, response }, (accounts) =>
      accounts.setPassword({ address: request.ip ?? '', body }),
    );
  }

  /** The response is the same for every address. */
  @Post('session/forgot')
  @HttpCode(200)
  @UseGuards(SessionGuard)
  async forgotPassword(
    @Req() request: SessionRequest,
    @Body() body: unknown,
  ): Promise<{ readonly ok: true }> {
    const { url } = this.options;
    const attempt = { address: request.ip ?? '', body };
    await this.accounts.forgotPassword(
      attempt,
      // The address comes from the options: a request could name another host.
      url === null ? null : (code) => deskLink(url.href, 'reset-password', code),
    );
    return { ok: true };
  }

  @Post('presence')
  @HttpCode(200)
  @UseGuards(SameOriginGuard, AccountGuard)
  async sign(
    @Req() request: object,
    @Body() body: unknown,
  ): Promise<{ readonly data: readonly PresentEditor[] }> {
    const caller = callerWith(request, DESK_GRANT, 'open');
    return { data: await this.presence.sign(formSignOf(body), caller) };
  }

  @Post('preview')
  @HttpCode(200)
  @UseGuards(SameOriginGuard, AccountGuard)
  async openPreview(@Req() request: object, @Body() body: unknown): Promise<{ readonly data: DeskPreview }> {
    const caller = callerWith(request, DESK_GRANT, 'open');
    return { data: await this.previews.open(previewedOf(body), caller) };
  }

  /** The token is the whole credential: no strategy of the application sees it. */
  @Get('preview')
  @Json()
  @Header('Cache-Control', 'no-store')
  async readPreview(@Req() request: HttpRequest): Promise<string | undefined> {
    const { bearer } = credentialsOf(request);
    return (await this.previews.read(bearer, queryOf(request))).envelope();
  }

  private needUpdate(request: object, attribute: string): void {
    const caller = callerOf(request);
    if (!mayWriteUser(caller, 'update', attribute)) throw refusal(caller);
  }

  private get people(): EditorPeople {
    const { people } = this.site;
    if (people === null) throw notFound();
    return people;
  }

  private get accounts(): EditorAccounts {
    const { sessions } = this.site;
    if (sessions === null) throw notFound();
    return sessions;
  }

  private async begin(
    exchange: Exchange,
    work: (accounts: EditorAccounts) => Promise<EditorSession>,
  ): Promise<Answer> {
    const { jwt, expiresIn, user, refreshToken, lifetime } = await work(this.accounts);
    this.setCookie(exchange, refreshToken, lifetime);
    return { jwt, expiresIn, user };
  }

  private setCookie({ request, response }: Exchange, token: string, seconds: number): void {
    const secure = request.protocol === 'https' || this.options.url?.protocol === 'https:';
    const cookie = cookieOf(token, seconds, { path: `${this.site.base}/session`, secure });
    this.adapter.httpAdapter.appendHeader(response, 'Set-Cookie', cookie);
  }
}
