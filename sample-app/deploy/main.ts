import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';

const app = await NestFactory.create<NestExpressApplication>(AppModule);
app.enableShutdownHooks();
app.set('trust proxy', 1);
await app.listen(process.env['PORT'] ?? 3000);
