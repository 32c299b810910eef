/**
 * The blog model, with hidden data around it: private and password attributes of every kind at every depth.
 * A type that only the system may read is linked from all sides.
 */
import { defineCollectionType, defineComponent } from 'nestjs-content-api';
import { blog } from '../fixtures/blog.ts';

const SCALARS = {
  string: { type: 'string' },
  text: { type: 'text' },
  richtext: { type: 'richtext' },
  email: { type: 'email' },
  uid: { type: 'uid' },
  enumeration: { type: 'enumeration', enum: ['alpha', 'omega'] },
  integer: { type: 'integer' },
  biginteger: { type: 'biginteger' },
  float: { type: 'float' },
  decimal: { type: 'decimal' },
  boolean: { type: 'boolean' },
  date: { type: 'date' },
  time: { type: 'time' },
  datetime: { type: 'datetime' },
  timestamp: { type: 'timestamp' },
  json: { type: 'json' },
  array: { type: 'array' },
  blocks: { type: 'blocks' },
} as const;

/** One private attribute per scalar type: `hiddenString`, `hiddenText` and so on. */
const hidden = Object.fromEntries(
  Object.entries(SCALARS).map(([name, def]) => [
    `hidden${name[0]?.toUpperCase()}${name.slice(1)}`,
    { ...def, private: true as const },
  ]),
);

const note = defineComponent({
  uid: 'vault.note',
  attributes: {
    label: { type: 'string' },
    hiddenLabel: { type: 'string', private: true },
    pin: { type: 'password' },
  },
});

const clause = defineComponent({
  uid: 'vault.clause',
  attributes: {
    label: { type: 'string' },
    amount: { type: 'integer' },
    pin: { type: 'password' },
    ...hidden,
    hiddenPerson: { type: 'relation', relation: 'manyToOne', target: 'author', private: true },
    hiddenPeople: { type: 'relation', relation: 'manyToMany', target: 'author', private: true },
    hiddenScan: { type: 'media', private: true },
    hiddenScans: { type: 'media', multiple: true, private: true },
    hiddenNote: { type: 'component', component: 'vault.note', private: true },
    hiddenNotes: { type: 'component', component: 'vault.note', repeatable: true, private: true },
    hiddenZone: { type: 'dynamiczone', components: ['vault.note'], private: true },
    notes: { type: 'component', component: 'vault.note', repeatable: true },
    person: { type: 'relation', relation: 'manyToOne', target: 'author' },
    dossiers: { type: 'relation', relation: 'manyToMany', target: 'dossier' },
    company: { type: 'relation', relation: 'manyToOne', target: 'company' },
    ledgers: { type: 'relation', relation: 'manyToMany', target: 'ledger' },
    topic: { type: 'relation', relation: 'morphToOne', targets: ['company', 'author'] },
    topics: { type: 'relation', relation: 'morphToMany' },
  },
});

const dossier = defineCollectionType({
  singularApiId: 'dossier',
  pluralApiId: 'dossiers',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    password: { type: 'password' },
    ...hidden,
    hiddenOwner: { type: 'relation', relation: 'manyToOne', target: 'author', private: true },
    hiddenReaders: { type: 'relation', relation: 'manyToMany', target: 'author', private: true },
    hiddenChapters: { type: 'relation', relation: 'oneToMany', target: 'article', private: true },
    hiddenPartner: { type: 'relation', relation: 'oneToOne', target: 'dossier', private: true },
    hiddenScan: { type: 'media', private: true },
    hiddenScans: { type: 'media', multiple: true, private: true },
    hiddenClause: { type: 'component', component: 'vault.clause', private: true },
    hiddenClauses: { type: 'component', component: 'vault.note', repeatable: true, private: true },
    hiddenZone: { type: 'dynamiczone', components: ['vault.note', 'vault.clause'], private: true },
    clause: { type: 'component', component: 'vault.clause' },
    clauses: { type: 'component', component: 'vault.clause', repeatable: true, localized: true },
    zone: { type: 'dynamiczone', components: ['vault.clause', 'vault.note'], localized: true },
    scan: { type: 'media' },
    people: { type: 'relation', relation: 'manyToMany', target: 'author' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article' },
    company: { type: 'relation', relation: 'manyToOne', target: 'company' },
    companies: { type: 'relation', relation: 'manyToMany', target: 'company' },
    ledger: { type: 'relation', relation: 'oneToOne', target: 'ledger', inversedBy: 'dossier' },
    ledgers: { type: 'relation', relation: 'manyToMany', target: 'ledger', inversedBy: 'dossiers' },
    mainLedgers: { type: 'relation', relation: 'oneToMany', target: 'ledger', mappedBy: 'mainDossier' },
    otherLedgers: { type: 'relation', relation: 'manyToMany', target: 'ledger', mappedBy: 'otherDossiers' },
    subject: { type: 'relation', relation: 'morphToOne', targets: ['ledger', 'author', 'article'] },
    subjects: {
      type: 'relation',
      relation: 'morphToMany',
      targets: ['ledger', 'company', 'author', 'article'],
    },
    hiddenSubjects: { type: 'relation', relation: 'morphToMany', targets: ['author'], private: true },
  },
});

/** Readable only by the system, like `company`, but with drafts and locales. */
const ledger = defineCollectionType({
  singularApiId: 'ledger',
  pluralApiId: 'ledgers',
  draftAndPublish: true,
  localized: true,
  attributes: {
    name: { type: 'string' },
    amount: { type: 'integer' },
    day: { type: 'date' },
    clause: { type: 'component', component: 'vault.clause' },
    zone: { type: 'dynamiczone', components: ['vault.note'] },
    scan: { type: 'media' },
    owner: { type: 'relation', relation: 'manyToOne', target: 'author' },
    dossier: { type: 'relation', relation: 'oneToOne', target: 'dossier', mappedBy: 'ledger' },
    dossiers: { type: 'relation', relation: 'manyToMany', target: 'dossier', mappedBy: 'ledgers' },
    subjectOf: { type: 'relation', relation: 'morphMany', target: 'dossier', morphBy: 'subjects' },
    mainDossier: { type: 'relation', relation: 'manyToOne', target: 'dossier', inversedBy: 'mainLedgers' },
    otherDossiers: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'dossier',
      inversedBy: 'otherLedgers',
    },
  },
});

export const model = {
  contentTypes: [...blog.contentTypes, dossier, ledger],
  components: [...blog.components, note, clause],
  locales: blog.locales,
};

export const UNREADABLE: readonly string[] = ['company', 'ledger'];

/** Types that callers may read. */
export const OPEN: readonly string[] = model.contentTypes
  .map(({ singularApiId }) => singularApiId)
  .filter((type) => !UNREADABLE.includes(type));
