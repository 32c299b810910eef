import { defineComponent } from 'nestjs-content-api';

/** A place on the map. Degrees need more digits than a decimal keeps, so they are floats. */
export const point = defineComponent({
  uid: 'geo.point',
  attributes: {
    latitude: { type: 'float', required: true, min: -90, max: 90 },
    longitude: { type: 'float', required: true, min: -180, max: 180 },
  },
});

/** A capital. A component, because a few countries have several and some have none. */
export const city = defineComponent({
  uid: 'geo.city',
  attributes: { name: { type: 'string', required: true } },
});

export const byline = defineComponent({
  uid: 'story.byline',
  attributes: {
    author: { type: 'string', required: true },
    readingMinutes: { type: 'integer', min: 1 },
  },
});

export const quote = defineComponent({
  uid: 'story.quote',
  attributes: {
    text: { type: 'text', required: true },
    source: { type: 'string' },
  },
});

export const fact = defineComponent({
  uid: 'story.fact',
  attributes: {
    label: { type: 'string', required: true },
    value: { type: 'string', required: true },
  },
});

/** A country put into a story's margin: a relation inside a component inside a dynamic zone. */
export const spotlight = defineComponent({
  uid: 'story.spotlight',
  attributes: {
    note: { type: 'text', required: true },
    country: { type: 'relation', relation: 'manyToOne', target: 'country' },
  },
});

export const hero = defineComponent({
  uid: 'page.hero',
  attributes: {
    title: { type: 'string', required: true },
    text: { type: 'text' },
  },
});

export const link = defineComponent({
  uid: 'page.link',
  attributes: {
    label: { type: 'string', required: true },
    path: { type: 'string', required: true },
  },
});
