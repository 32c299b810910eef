/** A model, and its next version. */
import { defineCollectionType, defineComponent } from 'nestjs-content-api';
import type { Model } from '../http/helpers.ts';

const text = { type: 'string' } as const;
const many = { type: 'component', component: 'c.part', repeatable: true } as const;

export const BEFORE: Model = {
  locales: ['en', 'fr'],
  contentTypes: [
    defineCollectionType({
      singularApiId: 'article',
      pluralApiId: 'articles',
      draftAndPublish: true,
      attributes: {
        title: text,
        secret: { type: 'password' },
        known: text,
        rank: { type: 'integer' },
        parts: many,
      },
    }),
    defineCollectionType({
      singularApiId: 'page',
      pluralApiId: 'pages',
      localized: true,
      attributes: {
        title: { ...text, localized: true },
        zone: { type: 'dynamiczone', components: ['c.part', 'c.gone'] },
      },
    }),
  ],
  components: [
    defineComponent({
      uid: 'c.part',
      attributes: { text, gone: text, inner: { type: 'component', component: 'c.gone' } },
    }),
    defineComponent({ uid: 'c.gone', attributes: { text, lost: text } }),
  ],
};

export const AFTER: Model = {
  locales: ['en', 'fr'],
  contentTypes: [
    defineCollectionType({
      singularApiId: 'article',
      pluralApiId: 'articles',
      attributes: { title: text, secret: text, rank: { type: 'integer' }, parts: many },
    }),
    defineCollectionType({
      singularApiId: 'page',
      pluralApiId: 'pages',
      attributes: { title: text, zone: { type: 'dynamiczone', components: ['c.part'] } },
    }),
  ],
  components: [
    defineComponent({
      uid: 'c.part',
      removed: ['gone'],
      attributes: { text, inner: { type: 'component', component: 'c.gone' } },
    }),
    defineComponent({ uid: 'c.gone', removed: ['lost'], attributes: { text } }),
  ],
};

const ruled = (
  rules: Readonly<Record<'title' | 'code' | 'rank' | 'kind' | 'mail' | 'needed' | 'text' | 'parts', object>>,
): Model => ({
  contentTypes: [
    defineCollectionType({
      singularApiId: 'ruled',
      pluralApiId: 'ruleds',
      draftAndPublish: true,
      attributes: {
        title: { ...text, ...rules.title },
        code: { ...text, ...rules.code },
        rank: { type: 'integer', ...rules.rank },
        kind: { type: 'enumeration', enum: ['a', 'b'], ...rules.kind },
        mail: { ...text, ...rules.mail },
        needed: { ...text, ...rules.needed },
        parts: { ...many, ...rules.parts },
      },
    }),
  ],
  components: [defineComponent({ uid: 'c.part', attributes: { text: { ...text, ...rules.text } } })],
});

/** A model with loose rules, and one with stricter ones. */
export const LOOSE = ruled({
  title: {},
  code: {},
  rank: {},
  kind: {},
  mail: {},
  needed: {},
  text: {},
  parts: {},
});
export const TIGHT = ruled({
  title: { maxLength: 3 },
  code: { regex: '^[a-z]+$' },
  rank: { min: 5, max: 10 },
  kind: { enum: ['a'] },
  mail: { type: 'email' },
  needed: { required: true },
  text: { minLength: 3 },
  parts: { max: 1 },
});
