import {
  type ConfigurableModuleAsyncOptions,
  type DynamicModule,
  Inject,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FileBytes } from './file-bytes.js';
import { archivedFormers } from './archived-formers.js';
import { FileCheck } from './file-check.js';
import { FileContents } from './file-contents.js';
import { FileHooks } from './file-hooks.js';
import { FileLibrary } from './file-library.js';
import { FileLookup } from './file-lookup.js';
import { FileReferences } from './file-reference.js';
import { FileSweeps } from './file-sweeps.js';
import { FileTable } from './file-table.js';
import {
  FILES_OPTIONS,
  type FilesOptions,
  type ResolvedFilesOptions,
  resolveFilesOptions,
} from './files.options.js';
import { SignedUrls } from './signed-urls.js';
import { filePaths } from './file-paths.js';
import { MetricParts } from '../../content/documents/metric-parts.js';
import { ArchiveParts } from '../../content/documents/archive-parts.js';
import { ContentOpenApi } from '../../content/http/content-openapi.js';
import { FilesController } from './files.controller.js';
import { leaveForms } from '../../content/http/fastify.js';
import { CONTENT_MODULE, type ContentRoutes } from '../../content/http/routes.js';
import { ServedFiles } from './served-files.js';
import { SharpImages } from './images/sharp-images.js';
import { checkAsyncOptions } from '../../content/http/async-options.js';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } from './files.module-definition.js';

/**
 * Options of `FilesModule.forRootAsync`, from one of `useFactory` (with `inject`), `useClass` and
 * `useExisting` (of a `FilesOptionsFactory`).
 */
export type FilesModuleAsyncOptions = ConfigurableModuleAsyncOptions<FilesOptions, 'createFilesOptions'>;

/** Defaults `images` to `sharp`; `null` switches image processing off. */
const withImages = (options: FilesOptions): ResolvedFilesOptions => ({
  ...resolveFilesOptions(options),
  images: options.images === undefined ? new SharpImages() : options.images,
});

/**
 * The media library: `/api/upload…`, and the bytes of its files at `/uploads/…` (protocol section 20), under
 * grants on `file`.
 *
 * @example
 * imports: [
 *   ContentModule.forRoot({ contentTypes: [article], access: { roles: { editor: { file: '*' } } }, … }),
 *   FilesModule.forRoot({ storage: new LocalStorage('uploads') }),
 * ]
 *
 * @publicApi
 */
@Module({
  controllers: [FilesController],
  providers: [
    { provide: FILES_OPTIONS, useFactory: withImages, inject: [MODULE_OPTIONS_TOKEN] },
    FileTable,
    FileBytes,
    FileSweeps,
    FileContents,
    FileHooks,
    FileReferences,
    FileLibrary,
    FileLookup,
    FileCheck,
    SignedUrls,
    ServedFiles,
  ],
  exports: [FileCheck],
})
export class FilesModule extends ConfigurableModuleClass implements NestModule, OnModuleInit {
  constructor(
    @Inject(CONTENT_MODULE) private readonly routes: ContentRoutes,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
    @Inject(ContentOpenApi) private readonly openApi: ContentOpenApi,
    @Inject(ArchiveParts) private readonly archive: ArchiveParts,
    @Inject(FileContents) private readonly contents: FileContents,
    @Inject(MetricParts) private readonly metrics: MetricParts,
    @Inject(FileLibrary) private readonly library: FileLibrary,
    @Inject(FileSweeps) private readonly sweeps: FileSweeps,
    @Inject(FileTable) private readonly table: FileTable,
  ) {
    super();
  }

  /** Creates the module with static options. Wrong options prevent the start. */
  static override forRoot(options: FilesOptions): DynamicModule {
    return super.forRoot(options);
  }

  /**
   * Creates the module with options from a factory, such as a secret from a vault. Throws unless there is
   * exactly one source.
   */
  static override forRootAsync(options: FilesModuleAsyncOptions): DynamicModule {
    checkAsyncOptions('FilesModule', options);
    return super.forRootAsync(options);
  }

  onModuleInit(): void {
    const { type, formers } = this.table;
    this.archive.add({ contents: this.contents, ...archivedFormers(type, formers) });
    this.metrics.add('files', () => ({ ...this.library.counts, ...this.sweeps.counts }));
  }

  configure(_consumer: MiddlewareConsumer): void {
    leaveForms(this.adapter);
    this.routes.setPath(FilesController, 'upload');
    this.openApi.add(filePaths);
  }
}
