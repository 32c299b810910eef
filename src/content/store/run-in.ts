import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Runner } from '../../pool/runner.js';
import { type Database, OWN_TRANSACTION } from './database.js';

/** Returns what runs statements in the transaction of an entity manager, or on the pool without one. */
export const runIn = (database: Database, em: SqlEntityManager | undefined): Pick<Runner, 'run'> =>
  em === undefined
    ? database
    : {
        run: (statement) =>
          database.transaction((runner) => runner.run(statement), { ...OWN_TRANSACTION, joined: em }),
      };
