/** What Nest's own builder makes of the options: `forRoot`, and `forRootAsync` with all its ways. */
import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { ContentRuntimeOptions } from './content.options.js';

/** `MODULE_OPTIONS_TOKEN` has the options as they were given; {@link RUNTIME} has them checked. */
export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<ContentRuntimeOptions>()
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createContentOptions')
    .build();

/** Injection token of the checked {@link ContentRuntimeOptions}. */
export const RUNTIME = Symbol('ContentRuntimeOptions');
