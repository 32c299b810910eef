/**
 * Application under test: the content model, signed-in people, and a controller that unpublishes and
 * discards.
 */
import { Controller, HttpCode, HttpException, Inject, Param, Post, Query } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  type AuthStrategy,
  ContentError,
  type ContentService,
  type Credentials,
  getContentToken,
  type Identity,
} from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { type BusyApp, startBusy } from '../concurrency/app.ts';
import { content, PEOPLE } from './content.ts';

/** `Authorization: Bearer <documentId of a person>`. */
class People implements AuthStrategy {
  readonly name = 'people';

  authenticate({ bearer }: Credentials): Identity | null {
    return bearer === null ? null : { kind: 'user', id: bearer, roles: ['people'] };
  }
}

/** Actions without routes in the library. */
class States {
  private readonly modules: ModuleRef;

  constructor(modules: ModuleRef) {
    this.modules = modules;
  }

  async change(type: string, id: string, verb: string, locale?: string): Promise<object> {
    const service = this.modules.get<ContentService>(getContentToken(type), { strict: false });
    const query = locale === undefined ? {} : { locale };
    try {
      const data = verb === 'unpublish' ? service.unpublish(id, query) : service.discardDraft(id, query);
      return { data: await data };
    } catch (error) {
      throw error instanceof ContentError ? new HttpException(error.message, error.status) : error;
    }
  }
}

/** Decorators as calls, because these files run without a compiler. */
function decorate(): void {
  const route = Object.getOwnPropertyDescriptor(States.prototype, 'change') as PropertyDescriptor;
  Inject(ModuleRef)(States, undefined, 0);
  Post(':type/:id/:verb')(States.prototype, 'change', route);
  HttpCode(200)(States.prototype, 'change', route);
  (['type', 'id', 'verb'] as const).forEach((name, i) => Param(name)(States.prototype, 'change', i));
  Query('locale')(States.prototype, 'change', 3);
  Controller('states')(States);
}
decorate();

const FILES = 3;

/** Starts the application with some files to link. Returns their document ids too. */
export async function startModel(
  pool = 1,
): Promise<{ readonly app: BusyApp; readonly files: readonly string[] }> {
  const app = await startBusy({
    ...content,
    access: { public: { '*': '*' }, roles: { people: PEOPLE } },
    auth: { strategies: [new People()] },
    hostControllers: [States],
    schedule: { everySeconds: 0.05 },
    // Every write of a draft is a version.
    modules: [HistoryModule.forRoot({ sittingMinutes: 0 }), ReleasesModule.forRoot()],
    pool,
  });
  const service = app.app.get<ContentService>(getContentToken('file'), { strict: false });
  const files: string[] = [];
  for (let i = 0; i < FILES; i += 1) {
    const file = {
      name: `f${i}`,
      hash: `f${i}`,
      mime: 'image/png',
      size: 1,
      url: `/f${i}`,
      provider: 'local',
    };
    files.push(String((await service.create(file)).documentId));
  }
  return { app, files };
}
