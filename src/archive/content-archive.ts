/** Content in one file, out and in. */
import type { Writable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Database } from '../database/database.js';
import { FileContents } from '../files/file-contents.js';
import { CONTENT_SCHEMA, type Schema } from '../schema/model.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../settings.js';
import { exportArchive, type ExportOptions, type ExportResult, type Source } from './export-archive.js';
import { importArchive } from './import-archive.js';
import type { ImportOptions, ImportResult, OpenArchive } from './import-options.js';

/**
 * Moves content from one system to another, with all its ids, times, orders, locales, states, links and
 * schedules, and the bytes of its files; users without what they sign in with. No hook runs.
 *
 * @publicApi
 */
@Injectable()
export class ContentArchive {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(ModuleRef) private readonly modules: ModuleRef,
  ) {}

  /**
   * Writes everything into `destination`, as it is at one moment, while others go on writing; the bytes of
   * files, too, where the application has the module for files.
   */
  export(destination: Writable, options: ExportOptions = {}): Promise<ExportResult> {
    return exportArchive(this.source(), destination, options);
  }

  /**
   * Imports an archive, which `open` opens each time that it is read. Throws an Error for one that is not
   * whole, and one with `conflicts` for what is in the way, with nothing written. An import that was
   * interrupted goes on when it is called again.
   */
  import(open: OpenArchive, options: ImportOptions = {}): Promise<ImportResult> {
    return importArchive(this.source(), open, options);
  }

  private source(): Source {
    const { database, schema, settings } = this;
    return { database, schema, settings, contents: this.contents() };
  }

  /** The bytes of files, of a module that not every application has. */
  private contents(): FileContents | null {
    try {
      return this.modules.get(FileContents, { strict: false });
    } catch {
      return null;
    }
  }
}
