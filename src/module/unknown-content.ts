/** Errors for services of types that the model does not have. */
import {
  type DynamicModule,
  type ForwardReference,
  type FactoryProvider,
  Module,
  Scope,
} from '@nestjs/common';
import { INQUIRER } from '@nestjs/core';
import { getContentToken, requestedContents } from '../content/documents/inject-content.js';
import { ContentModelError } from '../content/model/content-model-error.js';
import { noSuchType } from '../content/model/suggest.js';

@Module({})
class UnknownContentModule {}

/** Types of all models of the process: an application can have several. */
const known = new Set<string>();

/** Provider that fails only if a class injects it. */
const failing = (id: string, names: readonly string[]): FactoryProvider => ({
  provide: getContentToken(id),
  scope: Scope.TRANSIENT,
  inject: [INQUIRER],
  // Nest names a class that injects the service, but no factory.
  useFactory: (inquirer: object | null | undefined) => {
    const where = inquirer?.constructor.name ?? 'a factory';
    throw new ContentModelError([`${where}: ${noSuchType(id, names)}`], 'providers');
  },
});

/**
 * Returns a module for injected services without a type. Nest calls the reference once all models and
 * decorators are known.
 */
export function unknownContent(names: readonly string[]): ForwardReference<() => DynamicModule> {
  for (const name of names) known.add(name);
  let module: DynamicModule | null = null;
  const fill = (): DynamicModule => {
    const unknown = [...requestedContents].filter((id) => !known.has(id));
    module ??= {
      module: UnknownContentModule,
      global: true,
      providers: unknown.map((id) => failing(id, names)),
      exports: unknown.map(getContentToken),
    };
    return module;
  };
  return { forwardRef: fill };
}
