import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { FilesOptions } from './files.options.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<FilesOptions>()
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createFilesOptions')
  .build();
