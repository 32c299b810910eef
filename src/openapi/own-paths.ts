/** The description's own route. */
import type { Describe } from './describing.js';
import { json } from './document.js';
import { ALWAYS, errorAnswers } from './error-answers.js';

export const ownPaths: Describe = ({ base, components }) => ({
  [`${base}/openapi.json`]: {
    get: {
      operationId: 'OpenApi_find',
      tags: ['openapi'],
      summary: 'Describes what the caller may do, as this document does',
      parameters: [
        {
          name: 'count',
          in: 'query',
          description: 'With `false`, `count` of a populate is left out, and relations are plain lists.',
          schema: { type: 'boolean' },
        },
        {
          name: 'Strapi-Response-Format',
          in: 'header',
          description: 'With `v4`, the answers are described that requests with this header get.',
          schema: { type: 'string', enum: ['v4'] },
        },
      ],
      responses: {
        200: {
          description: 'An OpenAPI document.',
          content: json({ type: 'object', additionalProperties: true }),
        },
        ...errorAnswers(ALWAYS, components),
      },
    },
  },
});
