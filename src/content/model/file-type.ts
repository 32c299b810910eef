import { defineCollectionType } from './define.js';
import { called } from './desk-label.js';

/** Built-in type of media files: the field list of the contract's "Media file", in its order. */
export const FILE_TYPE = defineCollectionType({
  singularApiId: 'file',
  pluralApiId: 'files',
  tableName: 'content_files',
  routes: false,
  attributes: {
    name: { type: 'string', required: true, ...called('Name', 'Name') },
    alternativeText: { type: 'text', ...called('Alternative text', 'Alternativtext') },
    caption: { type: 'text', ...called('Caption', 'Bildunterschrift') },
    focalPoint: { type: 'json', ...called('Focal point', 'Bildmittelpunkt') },
    width: { type: 'integer', ...called('Width', 'Breite') },
    height: { type: 'integer', ...called('Height', 'Höhe') },
    formats: { type: 'json', ...called('Formats', 'Formate') },
    hash: { type: 'string', required: true, index: true },
    ext: { type: 'string', ...called('Extension', 'Endung') },
    mime: { type: 'string', required: true, ...called('Media type', 'Medientyp') },
    size: { type: 'decimal', required: true, ...called('Size', 'Größe') },
    url: { type: 'text', required: true, ...called('Address', 'Adresse') },
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
