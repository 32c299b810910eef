import { Header } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { methodOf } from '../../kernel/methods.js';
import type { Action } from '../access/actions.js';
import type { ContentType } from '../model/model.js';
import type { Handler } from '../model/routes.js';

export const ServesType = Reflector.createDecorator<ContentType>();

/** Action of a handler, which decides the required grant and the plan. */
export const ContentAction = Reflector.createDecorator<Action>();

/** Name of the content route that a handler serves. */
export const Handles = Reflector.createDecorator<Handler>();

/** Action that the audit log records with its outcome, although it writes no document. */
export interface AuditedHandler {
  readonly action: string;
  /** Kind of the thing that `:id` of the path names; accounts and tokens by default. */
  readonly type?: string;
}

export const Audited = Reflector.createDecorator<AuditedHandler>();

export const Generated = Reflector.createDecorator<boolean>();

export const JSON_TEXT = 'application/json; charset=utf-8';

export const Json = (): MethodDecorator => Header('Content-Type', JSON_TEXT);

/**
 * Metadata of `@nestjs/swagger`, which may be absent. Its own document would show these routes without
 * parameters, bodies and responses.
 */
const LIBRARY = 'content:library';
const HIDDEN_CONTROLLER = 'swagger/apiExcludeController';
const HIDDEN_HANDLER = 'swagger/apiExcludeEndpoint';

/** Marks a controller of the library, whose routes are part of the content document. */
export const Description =
  (): ClassDecorator =>
  (controller): void => {
    Reflect.defineMetadata(HIDDEN_CONTROLLER, [true], controller);
    Reflect.defineMetadata(LIBRARY, true, controller);
  };

export const isDescribed = (controller: object): boolean => Reflect.hasOwnMetadata(LIBRARY, controller);

/** Marks the handlers of a class that applications extend, but not those of subclasses. */
export const DescribedHandlers =
  (): ClassDecorator =>
  (controller): void => {
    for (const name of Object.getOwnPropertyNames(controller.prototype)) {
      const handler = methodOf(controller, name);
      if (handler !== undefined && Reflect.hasMetadata('path', handler))
        Reflect.defineMetadata(HIDDEN_HANDLER, { disable: true }, handler);
    }
  };
