/** Application with history, authors and an audit log that the command line loads. */
import { ContentModule, defineCollectionType } from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { AuditModule, HistoryModule } from 'nestjs-content-api/history';
import { SECRET } from './helpers.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  history: true,
  authors: true,
  attributes: { title: { type: 'string' } },
});

export const AUDITED = {
  contentTypes: [note, ...userTypes()],
  access: { roles: { authenticated: { note: '*', user: ['find'] } } },
} as const;

export const auditedImports = () => [
  UsersModule.forRoot({ secret: SECRET }),
  HistoryModule.forRoot(),
  AuditModule.forRoot({ addresses: true }),
];

export const AuditedApp = {
  module: class AuditedApp {},
  imports: [
    ContentModule.forRoot({
      ...AUDITED,
      database: { clientUrl: process.env['AUDITED_APP_DATABASE'] ?? '' },
    }),
    ...auditedImports(),
  ],
};
