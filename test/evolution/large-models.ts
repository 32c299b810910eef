/** Models of a large type, one after another, for the proof of migrations under traffic. */
import { defineCollectionType } from 'nestjs-content-api';
import type { Model } from './run.ts';

const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { name: { type: 'string' } },
});

const names = { kind: 'collectionType', singularApiId: 'note', pluralApiId: 'notes' } as const;
const title = { title: { type: 'string' } } as const;
const text = { text: { type: 'text' } } as const;
const score = { score: { type: 'integer', index: true } } as const;
const headline = { headline: { type: 'string', previousName: 'title' } } as const;
const kind = { kind: { type: 'string', required: true, default: 'plain' } } as const;
const wordScore = { score: { type: 'string', index: true } } as const;

/** Models in the order of the migrations. */
export const MODELS = {
  'the first model': { contentTypes: [{ ...names, attributes: { ...title, ...text, ...score } }, tag] },
  'a column is renamed': {
    contentTypes: [{ ...names, attributes: { ...headline, ...text, ...score } }, tag],
  },
  'a required attribute with a default is added': {
    contentTypes: [{ ...names, attributes: { ...headline, ...text, ...score, ...kind } }, tag],
  },
  'an integer becomes a string': {
    contentTypes: [{ ...names, attributes: { ...headline, ...text, ...wordScore, ...kind } }, tag],
  },
  'drafts are switched on': {
    contentTypes: [
      { ...names, draftAndPublish: true, attributes: { ...headline, ...text, ...wordScore, ...kind } },
      tag,
    ],
  },
} as const satisfies Readonly<Record<string, Model>>;

export type Step = keyof typeof MODELS;

export const isStep = (word: string): word is Step => Object.hasOwn(MODELS, word);
