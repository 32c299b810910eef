/** Lists for which PostgreSQL uses a generic plan, and lists that it plans for each set of values. */
import pg from 'pg';
import type { TestApp } from '../support/app.ts';
import { fillShelf, type Ids, openShelf, statement } from './shelf.ts';

/** PostgreSQL may choose a generic plan after five executions. */
const TIMES = 12;

describe('a list that is read repeatedly', () => {
  let test: TestApp;
  let ids: Ids;
  let prepared = 0;

  beforeAll(async () => {
    test = await openShelf();
    ids = await fillShelf(test);
    // Thousands of further posts by Ann, none by Bob.
    await test.sql(
      `insert into posts select (jsonb_populate_record(null::posts,
         to_jsonb(p) || jsonb_build_object('id', 1000 + n, 'document_id', 'bulk' || n, 'title', 'title ' || n))).*
       from posts p, generate_series(1, 4000) n where p.document_id = $1 and p.published and p.locale = 'en'`,
      [ids.one],
    );
    await test.sql('vacuum analyze');
  });
  afterAll(() => test.close());

  /** Returns how many of {@link TIMES} executions used a custom plan. */
  async function planned(query: string): Promise<unknown> {
    const { text, values } = statement('post', query);
    const name = `list_${(prepared += 1)}`;
    const literals = values.map((value) =>
      typeof value === 'number' ? String(value) : pg.escapeLiteral(String(value)),
    );
    await test.sql(`prepare ${name} as ${text}`);
    for (let n = 0; n < TIMES; n += 1) await test.sql(`execute ${name}(${literals.join(', ')})`);
    const [row] = await test.sql(
      `select custom_plans::int as planned from pg_prepared_statements where name = $1`,
      [name],
    );
    return row?.['planned'];
  }

  it.each([
    'sort=id',
    'sort=id&pagination[pageSize]=10',
    'sort=id&filters[author][name]=Ann',
    'sort=id&filters[author][home][city]=Oslo',
    'sort=title&filters[author][name]=Ann',
    'sort=id&pagination[withCount]=false&filters[author][name]=Ann',
  ])('has one plan for all: %s', async (query) => {
    expect(await planned(query)).toBe(5);
  });

  it('is planned for each value if a custom plan is much cheaper for a rare one', async () => {
    expect(await planned(`sort=id&filters[author][documentId]=${ids.bob}`)).toBe(TIMES);
  });
});
