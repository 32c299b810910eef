/** Nest's module builder for `forRoot` and `forRootAsync`. */
import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { ContentRuntimeOptions } from './content.options.js';

/** `MODULE_OPTIONS_TOKEN` provides the options as passed, {@link RUNTIME} the checked ones. */
export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<ContentRuntimeOptions>()
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createContentOptions')
    .build();

/** Injection token of the checked {@link ContentRuntimeOptions}. */
export const RUNTIME = Symbol('ContentRuntimeOptions');
