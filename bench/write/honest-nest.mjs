/**
 * Honest limit in a Nest controller: the time of a write with the framework, and with nothing but the
 * hand-written writes.
 *
 * node honest-nest.mjs --database-url postgresql://…
 */
import 'reflect-metadata';
import { Body, Controller, HttpException, Module, Param, Post, Put } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { post, put, refusalOf } from './honest-writes.mjs';

const answered = (writing) =>
  writing.then(
    (data) => `{"data":${data},"meta":{}}`,
    (error) => {
      const { status, message, details } = refusalOf(error);
      throw new HttpException({ data: null, error: { status, message, details } }, status);
    },
  );

class Articles {
  create(body) {
    return answered(post(body.data));
  }

  update(documentId, body) {
    return answered(put(documentId, body.data));
  }
}

/** Applies decorators without a compiler. */
function decorate(method, route, parameters) {
  route(Articles.prototype, method, Object.getOwnPropertyDescriptor(Articles.prototype, method));
  parameters.forEach((parameter, i) => parameter(Articles.prototype, method, i));
}
decorate('create', Post(), [Body()]);
decorate('update', Put(':documentId'), [Param('documentId'), Body()]);
Controller('api/articles')(Articles);

class App {}
Module({ controllers: [Articles] })(App);

const app = await NestFactory.create(App, { logger: ['error', 'warn'] });
await app.listen(0, '127.0.0.1');
console.log(`listening on ${await app.getUrl()}`);
