'use strict';

const { seedBaseData } = require('./seed-base-data');

module.exports = {
  async bootstrap({ strapi }) {
    if (await strapi.db.query('api::author.author').count() === 0) await seedBaseData(strapi);
  },
};
