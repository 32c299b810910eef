import {
  type ConfigurableModuleAsyncOptions,
  type DynamicModule,
  Inject,
  type MiddlewareConsumer,
  Module,
  type NestModule,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FileBytes } from '../files/file-bytes.js';
import { FileCheck } from '../files/file-check.js';
import { FileContents } from '../files/file-contents.js';
import { FileHooks } from '../files/file-hooks.js';
import { FileLibrary } from '../files/file-library.js';
import { FileLookup } from '../files/file-lookup.js';
import { FileReferences } from '../files/file-reference.js';
import { FileSweeps } from '../files/file-sweeps.js';
import { FileTable } from '../files/file-table.js';
import {
  FILES_OPTIONS,
  type FilesOptions,
  type ResolvedFilesOptions,
  resolveFilesOptions,
} from '../files/files.options.js';
import { SignedUrls } from '../files/signed-urls.js';
import { filePaths } from '../files/file-paths.js';
import { ContentOpenApi } from '../http/content-openapi.js';
import { FilesController } from '../http/files.controller.js';
import { leaveForms } from '../http/fastify.js';
import { CONTENT_MODULE, type ContentRoutes } from '../http/routes.js';
import { ServedFiles } from '../http/served-files.js';
import { SharpImages } from '../images/sharp-images.js';
import { checkWay } from './check-options.js';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } from './files.module-definition.js';

/**
 * Options of `FilesModule.forRootAsync`, from one of `useFactory` (with `inject`), `useClass` and
 * `useExisting` (of a `FilesOptionsFactory`).
 */
export type FilesModuleAsyncOptions = ConfigurableModuleAsyncOptions<FilesOptions, 'createFilesOptions'>;

/** Defaults `images` to `sharp`; `null` switches image processing off. */
const withImages = ({ images = new SharpImages(), ...options }: FilesOptions): ResolvedFilesOptions =>
  resolveFilesOptions({ ...options, images });

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
export class FilesModule extends ConfigurableModuleClass implements NestModule {
  constructor(
    @Inject(CONTENT_MODULE) private readonly routes: ContentRoutes,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
    @Inject(ContentOpenApi) private readonly openApi: ContentOpenApi,
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
    checkWay('FilesModule', options);
    return super.forRootAsync(options);
  }

  configure(_consumer: MiddlewareConsumer): void {
    leaveForms(this.adapter);
    this.routes.setPath(FilesController, 'upload');
    this.openApi.add(filePaths);
  }
}
