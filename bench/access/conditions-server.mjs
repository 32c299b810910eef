/**
 * Server process with conditions of grants, for `conditions.mjs`. It creates and fills its tables:
 *
 * node conditions-server.mjs --database-url postgresql://… --teams 1000 --rows 50000 [--cache]
 *
 * Header `x-team`: a member, who may read the articles of this team. Without it, a reader of all articles.
 * `GET /counts` returns the numbers of cached plans, and of prepared statements and their executions on the
 * one connection.
 */
import { parseArgs } from 'node:util';
import { Controller, Get } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CONTENT_ORM, ContentModule, defineCollectionType, getContentToken } from 'nestjs-content-api';

const { values } = parseArgs({
  options: {
    'database-url': { type: 'string' },
    teams: { type: 'string' },
    rows: { type: 'string' },
    cache: { type: 'boolean', default: false },
  },
});

const team = defineCollectionType({
  singularApiId: 'team',
  pluralApiId: 'teams',
  attributes: { name: { type: 'string' } },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  attributes: {
    title: { type: 'string' },
    text: { type: 'text' },
    team: { type: 'relation', relation: 'manyToOne', target: 'team' },
  },
});

const READ = ['find', 'findOne'];
const ofTeam = ({ attributes }) => ({ team: { name: attributes?.team } });
const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }) =>
    headers['x-team'] === undefined
      ? { kind: 'user', id: 'reader', roles: ['reader'] }
      : { kind: 'user', id: 'member', roles: ['member'], attributes: { team: headers['x-team'] } },
};
const content = ContentModule.forRoot({
  contentTypes: [team, article],
  access: {
    roles: {
      reader: { article: READ, team: READ },
      member: { article: [{ actions: READ, where: ofTeam }], team: READ },
    },
  },
  auth: { strategies: [byHeader] },
  ...(values.cache ? {} : { cache: false }),
  database: { clientUrl: values['database-url'], pool: { min: 0, max: 1 } },
});

class Counts {
  async counts() {
    const { documents } = app.get(getContentToken('article'), { strict: false });
    const { database } = documents.base;
    const [{ statements, executions }] = await database.run({
      text: `select count(*)::int4 as statements, sum(generic_plans + custom_plans)::int4 as executions
        from pg_prepared_statements`,
      values: [],
    });
    return { plans: documents.cache.plans.size, statements, executions };
  }
}
Get('counts')(Counts.prototype, 'counts', Object.getOwnPropertyDescriptor(Counts.prototype, 'counts'));
Controller()(Counts);

class BenchModule {}
const app = await NestFactory.create(
  { module: BenchModule, imports: [content], controllers: [Counts] },
  { logger: ['error', 'warn'] },
);
await app.init();
const orm = app.get(CONTENT_ORM, { strict: false });
await orm.schema.update();
const [teams, rows] = [Number(values.teams), Number(values.rows)];
const made = 'published, locale, revision, created_at, updated_at, published_at) select';
await orm.em.getConnection().execute(`
  insert into teams (document_id, name, ${made} 'team-' || n, 'team ' || n, true, 'en', '0', now(), now(), now()
    from generate_series(0, ${teams - 1}) n;
  insert into articles (document_id, title, text, team_document_id, ${made}
    'article-' || n, 'Article ' || n, repeat('text ', 20), 'team-' || (n % ${teams}), true, 'en', '0', now(), now(), now()
    from generate_series(0, ${rows - 1}) n;`);
await orm.em.getConnection().execute('vacuum analyze');
const { documents } = app.get(getContentToken('article'), { strict: false });
// Maintenance makes the change log of the tables; until then, nothing is cached.
const until = Date.now() + 60_000;
while (values.cache && !documents.reads.keeps) {
  if (Date.now() > until) throw new Error('The cache does not start');
  await new Promise((resolve) => setTimeout(resolve, 100));
}
await app.listen(0, '127.0.0.1');
console.log(`listening on ${await app.getUrl()}`);
