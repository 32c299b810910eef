/** Application with a desk that the command line loads. */
import { ContentModule } from 'nestjs-content-api';
import { UsersModule } from 'nestjs-content-api/accounts';
import { DeskModule } from 'nestjs-content-api/desk';
import { SECRET } from '../accounts/helpers.ts';
import { contentTypes, ROLES } from './support.ts';

const content = () =>
  ContentModule.forRoot({
    contentTypes,
    access: { roles: ROLES },
    database: { clientUrl: process.env['DESK_APP_DATABASE'] ?? '' },
  });

export const DeskApp = {
  module: class DeskApp {},
  imports: [
    content(),
    UsersModule.forRoot({ secret: SECRET }),
    DeskModule.forRoot({ url: 'https://www.example.org/desk' }),
  ],
};

export const PlainApp = { module: class PlainApp {}, imports: [content()] };
