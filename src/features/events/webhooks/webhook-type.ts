import { defineCollectionType } from '../../../content/model/define.js';

/**
 * Content type of webhooks. List it in `contentTypes` to manage webhooks at run time, with `/api/webhooks`
 * under the grants on `webhook`.
 *
 * @publicApi
 */
export const webhookType = defineCollectionType({
  singularApiId: 'webhook',
  pluralApiId: 'webhooks',
  tableName: 'content_webhooks',
  routes: false,
  archived: false,
  events: false,
  attributes: {
    name: { type: 'string', required: true, unique: true },
    url: { type: 'string', required: true, maxLength: 2000 },
    enabled: { type: 'boolean', default: true },
    events: { type: 'json' },
    types: { type: 'json' },
    filters: { type: 'json' },
    fields: { type: 'json' },
    populate: { type: 'json' },
    role: { type: 'string' },
    headers: { type: 'json', private: true },
    secrets: { type: 'json', private: true },
  },
});
