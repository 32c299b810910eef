import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { BackgroundWork } from '../../content/store/background-work.js';
import { Database } from '../../content/store/database.js';
import { runUnlimited } from '../../content/store/run-unlimited.js';
import { compileForget } from './compile-versions.js';
import { HISTORY_OPTIONS, type ResolvedHistoryOptions } from './history.options.js';

/** Number of versions that one statement deletes. */
const FORGOTTEN = 5000;
const HOUR = 3_600_000;

/** Deletes versions beyond the limits of the options, once an hour. */
@Injectable()
export class VersionKeeper implements OnApplicationBootstrap {
  private readonly logger = new Logger('ContentHistory');

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(Database) private readonly database: Database,
    @Inject(HISTORY_OPTIONS) private readonly options: ResolvedHistoryOptions,
    @Inject(BackgroundWork) private readonly background: BackgroundWork,
  ) {}

  onApplicationBootstrap(): void {
    this.background.repeat('content.history.forget', HOUR, () =>
      this.forget().catch((error: unknown) => {
        this.logger.warn(`Old versions could not be deleted: ${String(error)}`);
      }),
    );
  }

  /** Deletes versions beyond the limits, however long each statement takes. Returns their number. */
  async forget(): Promise<number> {
    const types = [...this.schema.types.values()];
    let deleted = 0;
    for (let last = FORGOTTEN; last === FORGOTTEN && !this.background.isStopping; deleted += last) {
      const statement = compileForget(this.schema.file, types, { ...this.options, limit: FORGOTTEN });
      last = (await runUnlimited(this.database, (runner) => runner.run(statement))).length;
    }
    return deleted;
  }
}
