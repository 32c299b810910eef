import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { PrivateGuard, callerWith } from '../../content/http/account.guard.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { Audited, Description } from '../../content/http/metadata.js';
import { dataOf } from '../../content/plan/read-body.js';
import { notFound, refuseOtherKeys, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { type ApiToken, ApiTokens, isKind, type NewApiToken } from './api-tokens.service.js';

const TYPE = 'api-token';
const KEYS = ['name', 'kind', 'description', 'grants', 'days'];

interface Answer<T> {
  readonly data: T;
}

/** Returns the token in a body. Throws a ValidationError for another key, or a value of another type. */
function tokenIn(body: unknown): NewApiToken {
  const data = dataOf(body);
  refuseOtherKeys(data, KEYS, 'body');
  const { name, kind, description, grants, days } = data;
  const wrong = (key: string, expected: string): never => {
    throw validationError(`${key} must be ${expected}`, { key, path: key, source: 'body' });
  };
  if (typeof name !== 'string' || name.trim() === '') return wrong('name', 'a string');
  if (!isKind(kind)) return wrong('kind', 'read-only, full-access or custom');
  if (description !== undefined && typeof description !== 'string') return wrong('description', 'a string');
  if (grants !== undefined && !isObject(grants)) return wrong('grants', 'an object');
  if (days !== undefined && typeof days !== 'number') return wrong('days', 'a number');
  return {
    name,
    kind,
    ...(description === undefined ? {} : { description }),
    ...(grants === undefined ? {} : { grants: grants as NonNullable<NewApiToken['grants']> }),
    ...(days === undefined ? {} : { days }),
  };
}

/** Routes `/api/api-tokens`: API tokens, under the grants on `api-token` (protocol 18.14–18.16). */
@Controller({ path: 'api-tokens', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(PrivateGuard)
@Description()
export class ApiTokensController {
  constructor(@Inject(ApiTokens) private readonly tokens: ApiTokens) {}

  @Get()
  async find(@Req() request: object): Promise<Answer<readonly ApiToken[]>> {
    callerWith(request, TYPE, 'find');
    return { data: await this.tokens.list() };
  }

  @Post()
  async create(@Req() request: object, @Body() body: unknown): Promise<Answer<ApiToken>> {
    const caller = callerWith(request, TYPE, 'create');
    return { data: await this.tokens.create(tokenIn(body), caller) };
  }

  @Audited({ action: 'rotate-token' })
  @Post(':id/rotate')
  @HttpCode(200)
  async rotate(@Req() request: object, @Param('id') id: string): Promise<Answer<ApiToken>> {
    const caller = callerWith(request, TYPE, 'update');
    const token = await this.tokens.rotate(id, caller);
    if (token === null) throw notFound();
    return { data: token };
  }

  @Audited({ action: 'revoke-token' })
  @Delete(':id')
  @HttpCode(204)
  async revoke(@Req() request: object, @Param('id') id: string): Promise<void> {
    callerWith(request, TYPE, 'delete');
    if (!(await this.tokens.revoke(id))) throw notFound();
  }
}
