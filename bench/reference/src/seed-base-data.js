'use strict';

/**
 * Fills an empty database: bench/base-data.json, the locales of the model, and the grants of the public role.
 * Inserts rows through the database layer, because the document service does not accept document ids.
 */
const data = require('../../base-data.json');

const ALL = ['find', 'findOne', 'create', 'update', 'delete'];
const PUBLIC_RIGHTS = { article: ALL, category: ALL, author: ALL, company: ['find', 'findOne'] };

async function seedBaseData(strapi) {
  await addLocales(strapi);
  await strapi.db.transaction(async () => {
    for (const file of data.files) await insert(strapi, 'plugin::upload.file', file);
    const companies = await insertAll(strapi, 'company', data.companies);
    await insertAll(strapi, 'author', data.authors, { employer: companies });
    const categories = new Map();
    await insertAll(strapi, 'category', data.categories, { parent: categories }, categories);
    await grantPublicRights(strapi);
  });
}

async function addLocales(strapi) {
  const locales = strapi.plugin('i18n').service('locales');
  const existing = new Set((await locales.find()).map(({ code }) => code));
  for (const locale of data.locales) if (!existing.has(locale.code)) await locales.create(locale);
}

/** Inserts rows whose relations name document ids, which `targets` resolves. Returns document id → id. */
async function insertAll(strapi, name, rows, targets = {}, ids = new Map()) {
  for (const row of rows) {
    const links = Object.entries(targets).map(([field, known]) => [field, known.get(row[field]) ?? null]);
    const { id } = await insert(strapi, `api::${name}.${name}`, { ...row, ...Object.fromEntries(links) });
    ids.set(row.documentId, id);
  }
  return ids;
}

function insert(strapi, uid, row) {
  return strapi.db.query(uid).create({ data: { ...row, publishedAt: new Date() } });
}

async function grantPublicRights(strapi) {
  const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
  const permissions = strapi.db.query('plugin::users-permissions.permission');
  for (const [name, actions] of Object.entries(PUBLIC_RIGHTS)) {
    for (const action of actions) await permissions.create({ data: { action: `api::${name}.${name}.${action}`, role: role.id } });
  }
}

module.exports = { seedBaseData };
