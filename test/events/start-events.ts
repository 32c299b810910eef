import { EventsModule, type EventsOptions } from 'nestjs-content-api/events';
import { createTestApp, type TestApp } from '../support/app.ts';
import { contentTypes } from './helpers.ts';

/** Starts an application whose webhooks may reach this machine. Everything is granted to the public. */
export const startEvents = ({ webhooks, ...options }: EventsOptions = {}): Promise<TestApp> =>
  createTestApp({
    contentTypes,
    access: { public: { '*': '*' } },
    imports: [
      EventsModule.forRoot({
        pollMilliseconds: 50,
        webhooks: { allow: ['localhost'], ...webhooks },
        ...options,
      }),
    ],
  });
