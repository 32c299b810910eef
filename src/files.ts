/** Exports of `nestjs-content-api/files`. */
export { FilesModule } from './module/files.module.js';
export type { FilesModuleAsyncOptions } from './module/files.module.js';
export { LocalStorage } from './files/local-storage.js';
export type { ByteRange, FileStorage, KeptBytes, LocalFile } from './files/file-storage.js';
export { FileCheck } from './files/file-check.js';
export type { FileCheckOptions, FilesReport } from './files/file-check.js';
export { SharpImages } from './images/sharp-images.js';
export type { ImageOptions, OriginalKept } from './images/image-options.js';
export type { RecipeOptions } from './images/allowed-recipes.js';
export { type VariantUrl, variantUrl } from './images/variant-url.js';
export type {
  FileImages,
  ImageFacts,
  KeptFile,
  MadeFormat,
  ServedBytes,
  VariantRequest,
} from './files/file-images.js';
export type { FilesOptions, FilesOptionsFactory, PrivateFiles } from './files/files.options.js';
