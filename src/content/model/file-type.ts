import { defineCollectionType } from './define.js';

/** Built-in type of media files: the field list of the contract's "Media file", in its order. */
export const FILE_TYPE = defineCollectionType({
  singularApiId: 'file',
  pluralApiId: 'files',
  tableName: 'content_files',
  routes: false,
  attributes: {
    name: { type: 'string', required: true },
    alternativeText: { type: 'text' },
    caption: { type: 'text' },
    focalPoint: { type: 'json' },
    width: { type: 'integer' },
    height: { type: 'integer' },
    formats: { type: 'json' },
    hash: { type: 'string', required: true, index: true },
    ext: { type: 'string' },
    mime: { type: 'string', required: true },
    size: { type: 'decimal', required: true },
    url: { type: 'text', required: true },
    previewUrl: { type: 'text' },
    provider: { type: 'string', required: true },
    provider_metadata: { type: 'json' },
    /** Storage key of the file's content; `formatKeys` has those of the formats by name. */
    storageKey: { type: 'string', private: true, index: true },
    formatKeys: { type: 'json', private: true },
    /** Hash in URLs before the last replacement of the content. Archives contain it. */
    formerHash: { type: 'string', private: true, index: true },
    /** Folder of the media library, `/countries/flags`; null at its root (20.3). */
    folderPath: { type: 'string', private: true, index: true },
  },
});
