import { defineCollectionType } from './define.js';

/** The built-in type of media files: the field list of the contract's "Media file", in its order. */
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
    /** Where the bytes are: the key of their content, and those of the formats by name. */
    storageKey: { type: 'string', private: true, index: true },
    formatKeys: { type: 'json', private: true },
    /** What it was called in URLs before its content was replaced. */
    formerHash: { type: 'string', private: true, index: true },
    /** The folder of the media library, `/countries/flags`; null at its root (20.3). */
    folderPath: { type: 'string', private: true, index: true },
  },
});
