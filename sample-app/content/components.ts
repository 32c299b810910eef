import { defineComponent } from 'nestjs-content-api';

/** Point on the map. Coordinates are floats, because a decimal has too few digits. */
export const point = defineComponent({
  uid: 'geo.point',
  attributes: {
    latitude: { type: 'float', required: true, min: -90, max: 90 },
    longitude: { type: 'float', required: true, min: -180, max: 180 },
  },
});

/** Capital. A component, because some countries have several capitals and some have none. */
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

/** Country in the margin of a story: a relation in a component in a dynamic zone. */
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
