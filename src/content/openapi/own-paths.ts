/** Path of the OpenAPI document itself. */
import type { Describe } from './describing.js';
import { json } from './document.js';
import { NEEDS_NO_GRANT } from './operation-texts.js';
import { ALWAYS, errorAnswers } from './error-answers.js';

export const ownPaths: Describe = ({ base, components }) => ({
  [`${base}/openapi.json`]: {
    get: {
      operationId: 'OpenApi_find',
      tags: ['openapi'],
      summary: 'Get this document, limited to what the caller may do',
      description: NEEDS_NO_GRANT,
      parameters: [
        {
          name: 'count',
          in: 'query',
          description:
            'With `false`, the document omits `count` in `populate` and describes relations as plain lists.',
          schema: { type: 'boolean' },
        },
        {
          name: 'Strapi-Response-Format',
          in: 'header',
          description: 'With `v4`, the document describes the responses to requests with this header.',
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
