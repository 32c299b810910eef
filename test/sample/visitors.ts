import type { NestExpressApplication } from '@nestjs/platform-express';
import supertest from 'supertest';

/** Posts as the user of a token, or as the public. */
export function post(
  app: NestExpressApplication,
  path: string,
  body: object,
  token?: string,
): supertest.Test {
  const request = supertest(app.getHttpServer()).post(path).send(body);
  return token === undefined ? request : request.set('authorization', `Bearer ${token}`);
}

/** Registers a user and returns the token. */
export async function register(app: NestExpressApplication, username: string): Promise<string> {
  const { body } = await post(app, '/api/auth/local/register', {
    username,
    email: `${username}@example.org`,
    password: 'round the world',
  }).expect(200);
  return body.jwt;
}

/** Log that waits for the next mail; returns its file. */
export class MailLog {
  private seen: (file: string) => void = () => undefined;

  readonly log = (line: string): void => {
    if (line.startsWith('Mail: ')) this.seen(line.slice('Mail: '.length));
  };

  next(): Promise<string> {
    return new Promise((resolve) => {
      this.seen = resolve;
    });
  }
}
