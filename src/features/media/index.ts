/** Exports of `nestjs-content-api/files`. */
export { FilesModule } from './files.module.js';
export type { FilesModuleAsyncOptions } from './files.module.js';
export { LocalStorage } from './local-storage.js';
export type { ByteRange, FileStorage, KeptBytes, LocalFile } from './file-storage.js';
export { FileCheck } from './file-check.js';
export type { FileCheckOptions, FilesReport } from './file-check.js';
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
} from './file-images.js';
export type { FilesOptions, FilesOptionsFactory, PrivateFiles } from './files.options.js';
