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
import { PrivateGuard, callerWith } from '../../../content/http/account.guard.js';
import { ContentErrorFilter } from '../../../content/http/error.filter.js';
import { Audited, Description } from '../../../content/http/metadata.js';
import { dataOf } from '../../../content/plan/read-body.js';
import { refuseOtherKeys } from '../../../kernel/errors.js';
import type { Outcome } from '../reader.js';
import { checkEndpoint } from './endpoint.js';
import { type Webhook, type WebhookAttempt, Webhooks } from './webhooks.service.js';

const TYPE = 'webhook';

interface Answer<T> {
  readonly data: T;
}

/** Returns another value than a text as an invalid text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Routes `/api/webhooks`, under the grants on `webhook` (protocol 21.10, 21.13). */
@Controller({ path: 'webhooks', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(PrivateGuard)
@Description()
export class WebhooksController {
  constructor(@Inject(Webhooks) private readonly webhooks: Webhooks) {}

  @Get()
  async find(@Req() request: object): Promise<Answer<readonly Webhook[]>> {
    callerWith(request, TYPE, 'find');
    return { data: await this.webhooks.list() };
  }

  @Get(':id')
  async findOne(@Req() request: object, @Param('id') id: string): Promise<Answer<Webhook>> {
    callerWith(request, TYPE, 'findOne');
    return { data: await this.webhooks.one(id) };
  }

  @Get(':id/attempts')
  async attempts(
    @Req() request: object,
    @Param('id') id: string,
  ): Promise<Answer<readonly WebhookAttempt[]>> {
    callerWith(request, TYPE, 'findOne');
    return { data: await this.webhooks.attempts(id) };
  }

  @Post()
  async create(@Req() request: object, @Body() body: unknown): Promise<Answer<Webhook>> {
    const caller = callerWith(request, TYPE, 'create');
    const input = dataOf(body);
    checkEndpoint(input);
    return { data: await this.webhooks.create(input, caller) };
  }

  @Put(':id')
  async update(
    @Req() request: object,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<Answer<Webhook>> {
    const caller = callerWith(request, TYPE, 'update');
    return { data: await this.webhooks.update(id, dataOf(body), caller) };
  }

  @Delete(':id')
  @HttpCode(204)
  async remove(@Req() request: object, @Param('id') id: string): Promise<void> {
    callerWith(request, TYPE, 'delete');
    await this.webhooks.remove(id);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  async rotate(@Req() request: object, @Param('id') id: string): Promise<Answer<Webhook>> {
    const caller = callerWith(request, TYPE, 'update');
    return { data: await this.webhooks.rotate(id, caller) };
  }

  @Audited({ action: 'enable', type: TYPE })
  @Post(':id/enable')
  @HttpCode(200)
  async enable(@Req() request: object, @Param('id') id: string): Promise<Answer<Webhook>> {
    callerWith(request, TYPE, 'update');
    return { data: await this.webhooks.enable(id) };
  }

  @Post(':id/test')
  @HttpCode(200)
  async test(@Req() request: object, @Param('id') id: string): Promise<Answer<Outcome>> {
    callerWith(request, TYPE, 'update');
    return { data: await this.webhooks.test(id) };
  }

  @Audited({ action: 'replay', type: TYPE })
  @Post(':id/replay')
  @HttpCode(200)
  async replay(
    @Req() request: object,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<Answer<{ readonly replayed: number }>> {
    callerWith(request, TYPE, 'update');
    const data = dataOf(body);
    refuseOtherKeys(data, ['event', 'since'], 'body');
    const { event, since } = data;
    return {
      data: {
        replayed: await this.webhooks.replay(id, {
          ...(event === undefined ? {} : { event: textOf(event) }),
          ...(since === undefined ? {} : { since: textOf(since) }),
        }),
      },
    };
  }
}
