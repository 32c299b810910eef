/** Source and target applications for the command line. */
import { Module, type OnModuleDestroy } from '@nestjs/common';
import { worldModules } from './world.ts';

@Module({ imports: worldModules(String(process.env['ARCHIVE_SOURCE'])) })
export class Source {}

@Module({ imports: worldModules(String(process.env['ARCHIVE_TARGET'])) })
export class Target {}

/** Takes longer to close than a stopped command waits. */
@Module({ imports: worldModules(String(process.env['ARCHIVE_SOURCE'])) })
export class Slow implements OnModuleDestroy {
  onModuleDestroy(): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, 30_000);
    });
  }
}
