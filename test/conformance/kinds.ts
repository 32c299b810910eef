/** Kind of each value in a response: a document, a component instance, or a plain value. */
import type { Attributes, Model } from './cases.ts';

export interface Kind {
  /** Name of the ids: those of one kind are mapped together. */
  readonly name: string;
  /** `zone` becomes a component by each instance's `__component`. */
  readonly is: 'document' | 'component' | 'zone' | 'plain';
  readonly attributes: Attributes;
  /** Documents of a type that is not localized have the default locale in our responses (D1). */
  readonly localized: boolean;
  /** Texts may contain a file's hash, of which only the form is compared. */
  readonly hashes?: boolean;
}

const kind = (name: string, is: Kind['is'], attributes: Attributes = {}, localized = false): Kind => ({
  name,
  is,
  attributes,
  localized,
});

const PLAIN = kind('plain', 'plain');
const HASHED: Kind = { ...PLAIN, hashes: true };
const ZONE = kind('zone', 'zone');

/** Media files, which responses contain although the model does not. */
const FILE = kind('file', 'document');

export class Kinds {
  private readonly documents = new Map<string, Kind>([['file', FILE]]);
  private readonly routes = new Map<string, Kind>();
  private readonly components = new Map<string, Kind>();
  readonly defaultLocale: string;

  constructor({ contentTypes, components, defaultLocale }: Model) {
    this.defaultLocale = defaultLocale;
    for (const type of contentTypes) {
      const document = kind(type.singularApiId, 'document', type.attributes, type.localized ?? false);
      this.documents.set(type.singularApiId, document);
      this.routes.set(type.kind === 'singleType' ? type.singularApiId : type.pluralApiId, document);
    }
    for (const { uid, attributes } of components)
      this.components.set(uid, kind(uid, 'component', attributes));
  }

  /** Returns the kind of a path's response. */
  ofPath(path: string): Kind {
    const [, , route = '', below = ''] = path.split(/[/?]/);
    if (route === 'upload') return FILE;
    return this.routes.get(route) ?? kind(`${route}/${below}`.replace(/\/.*\d.*/, ''), 'document');
  }

  /**
   * Returns the kind of the value at a key. `data` and `attributes` are envelopes, unless they are
   * attributes.
   */
  child(parent: Kind, key: string): Kind {
    const attribute = parent.attributes[key];
    if (attribute === undefined) return this.unlisted(parent, key);
    switch (attribute.type) {
      case 'relation':
        return this.documents.get(attribute.target ?? '') ?? kind(`${parent.name}.${key}`, 'document');
      case 'media':
        return FILE;
      case 'component':
        return this.components.get(attribute.component ?? '') ?? PLAIN;
      case 'dynamiczone':
        return ZONE;
      default:
        return PLAIN;
    }
  }

  private unlisted(parent: Kind, key: string): Kind {
    if (parent.is === 'plain') return parent;
    if (key === 'meta' || key === 'error') return PLAIN;
    if (parent === FILE && ['formats', 'hash', 'url'].includes(key)) return HASHED;
    if (key === 'data' || key === 'attributes' || key === 'localizations') return parent;
    return kind(`${parent.name}.${key}`, 'document');
  }

  /** Returns the kind of an instance in a zone. */
  instance(parent: Kind, value: Readonly<Record<string, unknown>>): Kind {
    return parent.is === 'zone' ? (this.components.get(String(value.__component)) ?? PLAIN) : parent;
  }
}
