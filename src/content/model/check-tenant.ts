import { attributeOf } from './attribute-context.js';
import type { ContentTypeDefinition } from './definitions.js';
import type { Report } from './options.js';
import { among } from './suggest.js';

const SCALARS = ['string', 'uid', 'email', 'enumeration', 'integer', 'biginteger'];

/** Checks the option `tenant` of a type. Refuses options that would show values of other tenants. */
export function checkTenant(type: ContentTypeDefinition, report: Report): void {
  const { kind, tenant: key, owner, attributes, indexes = [] } = type;
  if (key === undefined) return;
  const tenant = attributeOf(attributes, key);
  const isRelation =
    tenant?.type === 'relation' &&
    (tenant.relation === 'manyToOne' || tenant.relation === 'oneToOne') &&
    tenant.mappedBy === undefined;
  if (tenant === undefined)
    report(`tenant: "${key}" is not an attribute${among(key, Object.keys(attributes))}`);
  else if (!isRelation && !SCALARS.includes(tenant.type))
    report(`tenant: "${key}" must be a to-one relation without "mappedBy", or one of ${SCALARS.join(', ')}`);
  if (tenant?.localized === true)
    report(`tenant: "${key}" is localized, but a document belongs to one tenant in all its locales`);
  if (key === owner) report('tenant: the attribute is already the owner');
  if (kind === 'singleType')
    report(
      'tenant: a single type has one document for all tenants: make it a collection type, with one each',
    );
  const isTogether = (name: string): boolean =>
    indexes.some(
      (one) => one.unique === true && one.attributes.includes(key) && one.attributes.includes(name),
    );
  for (const [name, def] of Object.entries(attributes)) {
    const isUid = def.type === 'uid' && !isTogether(name);
    if (isUid || ('unique' in def && def.unique === true))
      report(
        `tenant: "${name}" is unique in all tenants, which shows their values: ` +
          `${isUid ? '' : 'instead of "unique", '}add indexes: [{ attributes: ['${key}', '${name}'], unique: true }]`,
      );
  }
}
