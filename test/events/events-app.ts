/** Application that the command line loads. */
import { Injectable } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import { EventsModule, OnContentEvent } from 'nestjs-content-api/events';
import { contentTypes } from './helpers.ts';

@Injectable()
class Handlers {
  @OnContentEvent('memos')
  note(): void {
    throw new Error('away');
  }
}

export const EventsApp = {
  module: class EventsApp {},
  imports: [
    ContentModule.forRoot({
      contentTypes,
      database: { clientUrl: process.env['EVENTS_APP_DATABASE'] ?? '' },
    }),
    EventsModule.forRoot({
      pollMilliseconds: 50,
      webhooks: {
        allow: ['localhost'],
        endpoints: [
          {
            name: 'site',
            url: process.env['EVENTS_APP_ENDPOINT'] ?? 'http://localhost:1/',
            secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
          },
        ],
      },
    }),
  ],
  providers: [Handlers],
};
