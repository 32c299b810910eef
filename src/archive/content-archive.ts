/** Content in one file, out and in. */
import type { Writable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { CONTENT_SCHEMA, type Schema } from '../schema/model.js';
import { exportArchive, type Progress, type Source } from './export-archive.js';
import { importArchive, type ImportOptions, type ImportResult, type OpenArchive } from './import-archive.js';

/**
 * Moves content from one system to another, with all its ids, times, orders, locales, states, links and
 * schedules; users without what they sign in with. No hook runs.
 *
 * @publicApi
 */
@Injectable()
export class ContentArchive {
  private readonly source: Source;

  constructor(@Inject(Database) database: Database, @Inject(CONTENT_SCHEMA) schema: Schema) {
    this.source = { database, schema };
  }

  /** Writes everything into `destination`, as it is at one moment, while others go on writing. */
  export(destination: Writable, progress: Progress = () => undefined): Promise<void> {
    return exportArchive(this.source, destination, progress);
  }

  /**
   * Imports an archive, which `open` opens each time that it is read. Throws an Error for one that is not
   * whole, and one with `conflicts` for what is in the way, with nothing written. An import that was
   * interrupted goes on when it is called again.
   */
  import(open: OpenArchive, options: ImportOptions = {}): Promise<ImportResult> {
    return importArchive(this.source, open, options);
  }
}
