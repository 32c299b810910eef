/** Service that exports all content into one file, and imports it. */
import type { Writable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../../content/store/database.js';
import { ArchiveParts } from '../../content/documents/archive-parts.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { exportArchive, type ExportOptions, type ExportResult, type Source } from './export-archive.js';
import { importArchive } from './import-archive.js';
import type { ImportOptions, ImportResult, OpenArchive } from './import-options.js';

/**
 * Moves content from one system to another: ids, times, orders, locales, states, links, schedules and the
 * bytes of files. Users come without their credentials. No hook runs.
 *
 * @publicApi
 */
@Injectable()
export class ContentArchive {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(ArchiveParts) private readonly parts: ArchiveParts,
  ) {}

  /**
   * Writes all content into `destination`, as a consistent snapshot, while writes continue. Includes the
   * bytes of files if the application imports the module for files.
   */
  export(destination: Writable, options: ExportOptions = {}): Promise<ExportResult> {
    return exportArchive(this.source(), destination, options);
  }

  /**
   * Imports an archive. Each pass over the archive calls `open`. Throws an Error for an incomplete or damaged
   * archive, and an Error with `conflicts` before anything is committed. Repeating the call completes an
   * interrupted import.
   */
  import(open: OpenArchive, options: ImportOptions = {}): Promise<ImportResult> {
    return importArchive(this.source(), open, options);
  }

  private source(): Source {
    const { database, schema, settings, parts } = this;
    return { database, schema, settings, parts };
  }
}
