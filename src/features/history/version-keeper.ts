import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { Database } from '../../content/store/database.js';
import { compileForget } from './compile-versions.js';
import { HISTORY_OPTIONS, type ResolvedHistoryOptions } from './history.options.js';

/** Number of versions that one statement deletes. */
const FORGOTTEN = 5000;
const HOUR = 3_600_000;

/** Deletes versions beyond the limits of the options, once an hour. */
@Injectable()
export class VersionKeeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('ContentHistory');
  private timer: NodeJS.Timeout | null = null;

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(Database) private readonly database: Database,
    @Inject(HISTORY_OPTIONS) private readonly options: ResolvedHistoryOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.forget().catch((error: unknown) => {
        this.logger.warn(`Old versions could not be deleted: ${String(error)}`);
      });
    }, HOUR).unref();
  }

  onApplicationShutdown(): void {
    if (this.timer !== null) clearInterval(this.timer);
  }

  /** Deletes versions beyond the limits. Returns their number. */
  async forget(): Promise<number> {
    const types = [...this.schema.types.values()].filter(({ history }) => history);
    let deleted = 0;
    for (let last = FORGOTTEN; last === FORGOTTEN; deleted += last) {
      const statement = compileForget(this.schema.file, types, { ...this.options, limit: FORGOTTEN });
      last = (await this.database.run(statement)).length;
    }
    return deleted;
  }
}
