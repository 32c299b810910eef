import { applyDecorators, Header, HttpCode } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Action } from '../access/permissions.js';
import type { ContentType } from '../schema/model.js';
import type { Deed } from './request-state.js';

/** The content type that a controller class serves. */
export const ServesType = Reflector.createDecorator<ContentType>();

/**
 * The action that a handler performs; the access guard asks for its grant, and its answer is planned by it.
 */
export const ContentAction = Reflector.createDecorator<Action>();

/** What a handler below `…/actions/` does to its document; others have none. */
export const Does = Reflector.createDecorator<Deed>();

/** Whether a controller class is the generated one, without any code of the host's. */
export const Generated = Reflector.createDecorator<boolean>();

/** What is sent is JSON text already. */
export const JSON_TEXT = 'application/json; charset=utf-8';

/** The answer is JSON text already. */
export const Json = (): MethodDecorator => Header('Content-Type', JSON_TEXT);

/*
 * What `@nestjs/swagger` looks for, which need not be there: its own document would have these routes without
 * parameters, bodies and answers.
 */
const HIDDEN_CONTROLLER = 'swagger/apiExcludeController';
const HIDDEN_HANDLER = 'swagger/apiExcludeEndpoint';

/** A controller whose routes the content document describes. */
export const Described =
  (): ClassDecorator =>
  (controller): void =>
    Reflect.defineMetadata(HIDDEN_CONTROLLER, [true], controller);

/** The same of a class that hosts extend: for its own handlers alone. */
export const DescribedHandlers =
  (): ClassDecorator =>
  ({ prototype }): void => {
    const handlers = prototype as Readonly<Record<string, object>>;
    for (const name of Object.getOwnPropertyNames(handlers)) {
      const handler = handlers[name] as object;
      if (Reflect.hasMetadata('path', handler))
        Reflect.defineMetadata(HIDDEN_HANDLER, { disable: true }, handler);
    }
  };

/** A handler below `…/actions/`: it needs the right to publish. */
export const OnDocument = (deed: Deed): MethodDecorator =>
  applyDecorators(HttpCode(200), Json(), ContentAction('publish'), Does(deed));
