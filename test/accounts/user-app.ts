/** Application with users that the command line loads. */
import { ContentModule } from 'nestjs-content-api';
import { UsersModule } from 'nestjs-content-api/accounts';
import { contentTypes, EDITORS, SECRET } from './helpers.ts';

const content = () =>
  ContentModule.forRoot({
    contentTypes,
    access: { roles: EDITORS },
    database: { clientUrl: process.env['USER_APP_DATABASE'] ?? '' },
  });

export const UserApp = {
  module: class UserApp {},
  imports: [content(), UsersModule.forRoot({ secret: SECRET })],
};

export const PlainApp = { module: class PlainApp {}, imports: [content()] };
