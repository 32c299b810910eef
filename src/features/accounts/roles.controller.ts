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
import { ContentAccess } from '../../content/access/content-access.js';
import { type PermissionTree, treeOf } from './permission-tree.js';
import { type RoleInput, Roles } from './roles.js';
import { validationError, wrongValue } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { PrivateGuard, callerOf, callerWith } from '../../content/http/account.guard.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { Description } from '../../content/http/metadata.js';

const OK = { ok: true } as const;

/** Validates a body. Throws a ValidationError for an empty one, and for values of another type. */
function inputOf(body: unknown): RoleInput {
  if (!isObject(body) || Object.keys(body).length === 0)
    throw validationError('Request body cannot be empty');
  for (const key of ['name', 'description', 'type']) {
    const value = body[key];
    if (value !== undefined && typeof value !== 'string' && !(key === 'description' && value === null))
      throw wrongValue(key, `${key} must be a \`string\` type`);
  }
  return body;
}

/**
 * Routes `/api/users-permissions/…`: roles and their permissions, under the grants on `role` (protocol 19.20,
 * 19.21).
 */
@Controller({ path: 'users-permissions', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(PrivateGuard)
@Description()
export class RolesController {
  constructor(
    @Inject(Roles) private readonly roles: Roles,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
  ) {}

  @Get('roles')
  async find(@Req() request: object): Promise<{ readonly roles: readonly object[] }> {
    callerWith(request, 'role', 'find');
    const [roles, sizes] = await Promise.all([this.roles.all(), this.roles.sizes()]);
    return {
      roles: roles.map(({ grants: _grants, ...role }) => ({
        ...role,
        nb_users: sizes.get(role.documentId) ?? 0,
      })),
    };
  }

  @Get('roles/:id')
  async findOne(@Req() request: object, @Param('id') id: string): Promise<{ readonly role: object }> {
    callerWith(request, 'role', 'findOne');
    const { grants: _grants, ...role } = await this.roles.one(id);
    return {
      role: { ...role, permissions: treeOf(await this.access.grantedTo(role.type), this.schema, true) },
    };
  }

  @Post('roles')
  @HttpCode(200)
  async create(@Req() request: object, @Body() body: unknown): Promise<typeof OK> {
    callerWith(request, 'role', 'create');
    await this.roles.create(inputOf(body));
    return OK;
  }

  @Put('roles/:id')
  async update(@Req() request: object, @Param('id') id: string, @Body() body: unknown): Promise<typeof OK> {
    callerWith(request, 'role', 'update');
    await this.roles.update(id, inputOf(body));
    return OK;
  }

  @Delete('roles/:id')
  async remove(@Req() request: object, @Param('id') id: string): Promise<typeof OK> {
    callerWith(request, 'role', 'delete');
    await this.roles.remove(id);
    return OK;
  }

  @Get('permissions')
  permissions(@Req() request: object): { readonly permissions: PermissionTree } {
    return { permissions: treeOf(callerOf(request).permissions, this.schema) };
  }
}
