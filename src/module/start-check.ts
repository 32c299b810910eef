/** What is said of the database at the start. */
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../database/database.js';

/** How long the start waits for the database before it goes on without it, in milliseconds. */
const START_CHECK = 5000;
const SILENT = 'The database does not answer. Until it does, content routes answer 503';

/** Says in the log what is wrong with the database, before the first request finds out. */
@Injectable()
export class StartCheck implements OnApplicationBootstrap {
  constructor(@Inject(Database) private readonly database: Database) {}

  async onApplicationBootstrap(): Promise<void> {
    const logger = new Logger('ContentDatabase');
    let timer: NodeJS.Timeout | undefined;
    const silent = new Promise<readonly string[]>(
      (done) => (timer = setTimeout(done, START_CHECK, [SILENT])),
    );
    const told = Promise.all([this.database.advice(), this.database.problems()]).then((lists) =>
      lists.flat(),
    );
    for (const sentence of await Promise.race([told, silent])) logger.warn(sentence);
    clearTimeout(timer);
  }
}
