import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { UsersOptions } from './users.options.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<UsersOptions>()
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createUsersOptions')
  .build();
