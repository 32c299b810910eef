import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Req,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { unauthorized } from '../../content/access/auth-strategy.js';
import type { Caller } from '../../content/access/caller.js';
import type { Action } from '../../content/access/actions.js';
import { Permissions } from '../../content/access/permissions.js';
import { AccountRepository } from './account-repository.js';
import { isTaken } from './sign-in.service.js';
import type { Answer } from '../../content/documents/answer.js';
import { Documents } from '../../content/documents/documents.service.js';
import type { ReadAction } from '../../content/documents/hooks.js';
import { ContentError, forbidden, issuesOf, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { ReadPlan } from '../../content/plan/plan.js';
import { byDocumentId, type DocumentKey } from '../../content/plan/plan-read.js';
import { type QueryDefaults } from '../../content/query/read-raw.js';
import { PrivateGuard, callerOf, callerWithSome } from '../../content/http/account.guard.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { Json, Description } from '../../content/http/metadata.js';
import { type HttpRequest, queryOf, requestIdOf } from '../../content/http/request-state.js';
import { wholeList } from '../../content/http/whole-list.js';

const TYPE = 'user';
const ROW_ID = /^[1-9]\d{0,8}$/;
const TAKEN_MESSAGES: Readonly<Record<string, string>> = {
  username: 'Username already taken',
  email: 'Email already taken',
};

interface UserAccess {
  readonly caller: Caller;
  readonly action: Action;
  readonly by?: DocumentKey | null;
}

/** Smallest page with a total, regardless of settings and request. */
const totalOnly: QueryDefaults = (query) => ({ ...query, pagination: { limit: 1, withCount: true } });

/** Permission of every user on their own account. */
const ONESELF = Permissions.of({ [TYPE]: ['findOne'] });

/** Populates the role in the response to a create. */
const withRole: QueryDefaults = (query) => ({ populate: 'role', ...query });

/**
 * Routes `/api/users…`: objects and lists without an envelope, under the grants on `user` (protocol
 * 19.15–19.19).
 */
@Controller({ path: 'users', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(PrivateGuard)
@Description()
export class UsersController {
  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(AccountRepository) private readonly accounts: AccountRepository,
  ) {}

  @Get()
  @Json()
  async find(@Req() request: HttpRequest): Promise<string> {
    const access = { caller: callerWithSome(request, TYPE, 'find'), action: 'find' } as const;
    return (await this.read(request, access, wholeList)).data;
  }

  @Get('count')
  @Json()
  async count(@Req() request: HttpRequest): Promise<string> {
    const access = { caller: callerWithSome(request, TYPE, 'find'), action: 'find' } as const;
    const { meta } = await this.read(request, access, totalOnly);
    return String(meta.pagination?.total ?? 0);
  }

  @Get('me')
  @Json()
  async me(@Req() request: HttpRequest): Promise<string> {
    const caller = callerOf(request);
    if (caller.kind === 'token') throw unauthorized();
    if (caller.kind !== 'user') throw forbidden();
    const own = { ...caller, permissions: caller.permissions.plus(ONESELF) };
    const access = { caller: own, action: 'findOne', by: byDocumentId(caller.id) } as const;
    return (await this.read(request, access)).data;
  }

  @Get(':id')
  @Json()
  async findOne(@Req() request: HttpRequest, @Param('id') id: string): Promise<string> {
    const by = ROW_ID.test(id) ? { id: Number(id) } : { documentId: id };
    const access = { caller: callerWithSome(request, TYPE, 'findOne'), action: 'findOne', by } as const;
    return (await this.read(request, access)).data;
  }

  @Post()
  @HttpCode(201)
  @Json()
  create(@Req() request: HttpRequest, @Body() body: unknown): Promise<string> {
    return this.write(request, { action: 'create' }, body);
  }

  @Put(':id')
  @Json()
  update(@Req() request: HttpRequest, @Param('id') id: string, @Body() body: unknown): Promise<string> {
    return this.write(request, { action: 'update', id }, body);
  }

  @Delete(':id')
  @Json()
  async remove(@Req() request: HttpRequest, @Param('id') id: string): Promise<string> {
    const caller = callerWithSome(request, TYPE, 'delete');
    const by = { documentId: await this.documentId(id) };
    const plan = this.plan(request, { caller, action: 'delete', by });
    const { data } = await this.documents.read(plan);
    await this.documents.delete(plan, { caller, requestId: requestIdOf(request) });
    return data;
  }

  private read(
    request: HttpRequest,
    access: UserAccess & { readonly action: ReadAction },
    defaults?: QueryDefaults,
  ): Promise<Answer> {
    const { caller, action } = access;
    const by = { caller, action, requestId: requestIdOf(request) };
    return this.documents.read(this.plan(request, access, defaults), { by });
  }

  private async write(
    request: HttpRequest,
    { action, id }: { readonly action: 'create' | 'update'; readonly id?: string },
    body: unknown,
  ): Promise<string> {
    const caller = callerWithSome(request, TYPE, action);
    const documentId = id === undefined ? null : await this.documentId(id);
    const access = { caller, action, by: byDocumentId(documentId) };
    const plan = this.plan(request, access, action === 'create' ? withRole : undefined);
    try {
      const options = { caller, requestId: requestIdOf(request) };
      return (await this.documents[action](plan, { data: this.writableValues(body) }, options)).data;
    } catch (error) {
      throw isTaken(error) ? takenError(error) : error;
    }
  }

  /** Ignores keys that are not attributes, or that requests may not write (19.17). */
  private writableValues(body: unknown): Readonly<Record<string, unknown>> {
    if (!isObject(body)) throw validationError('Request body cannot be empty');
    const { attributes } = this.accounts.type;
    return Object.fromEntries(
      Object.entries(body).filter(
        ([key]) => attributes.get(key)?.writable === true && attributes.get(key)?.private === false,
      ),
    );
  }

  private plan(
    request: HttpRequest,
    { caller, action, by = null }: UserAccess,
    defaults?: QueryDefaults,
  ): ReadPlan {
    const readRequest = {
      type: this.accounts.type,
      kind: action === 'find' ? 'list' : 'one',
      by,
      caller,
      format: 'flat',
      action,
    } as const;
    return this.documents.planText(queryOf(request), readRequest, defaults);
  }

  /** Finds the document id by row id or document id. Throws NotFoundError. */
  private async documentId(id: string): Promise<string> {
    const account = await this.accounts.find(
      ROW_ID.test(id) ? { id: Number(id) } : { documentId: id.replaceAll('\u0000', '') },
    );
    if (account === null) throw new ContentError('NotFoundError', 'User not found');
    return account.documentId;
  }
}

function takenError(error: ContentError): ContentError {
  const [issue] = issuesOf(error);
  return new ContentError('ApplicationError', TAKEN_MESSAGES[issue?.path[0] ?? ''] ?? error.message);
}
