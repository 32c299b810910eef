/** Documents whose parts all carry one number, so that half a write is visible. */
import type { Client } from '../concurrency/app.ts';
import type { RunSql } from './picture.ts';

const TOPICS = 7;

/** Returns the parts of version `n`: values, links of both sides and components. */
const parts = (topics: readonly string[], n: number): object => ({
  title: `v${n}`,
  rank: n,
  topics: [0, 1, 2].map((i) => topics[(n + i) % TOPICS]),
  list: [topics[n % TOPICS]],
  main: topics[n % TOPICS],
  badges: Array.from({ length: 1 + (n % 3) }, (_, i) => ({ text: `${n} ${i}` })),
  box: { label: `${n}`, topic: topics[n % TOPICS], badges: [{ text: `${n}` }] },
  zone: [{ __component: 'shared.badge', text: `${n}` }],
});

/** Runs one write of the kind `n`: changes a document, creates one, or creates and deletes one. */
export async function writeWhole(
  client: Client,
  topics: readonly string[],
  documentId: string | null,
  n: number,
): Promise<void> {
  const kind = documentId === null ? 3 : n % 5;
  if (kind < 3) {
    const query = ['', '?locale=fr', '?status=draft'][kind] ?? '';
    await client.put(`/api/stories/${documentId}${query}`, parts(topics, n));
    return;
  }
  const { body } = await client.post(`/api/stories${n % 2 === 0 ? '' : '?status=draft'}`, parts(topics, n));
  if (kind === 4 && body?.data !== undefined)
    await client.delete(`/api/stories/${body.data.documentId}?locale=*`);
}

/**
 * Returns the problems of the documents: parts of different writes in one row, missing states, orphaned
 * links.
 */
export async function wholeProblems(sql: RunSql): Promise<string[]> {
  const rows = await sql(`
    with topic as (select document_id, row_number() over (order by min(id)) - 1 as place from topics group by 1)
    select s.document_id as id, s.locale, s.published, s.rank, s.title,
      (select json_agg(t.place order by l.position) from stories_topics_links l join topic t on t.document_id = l.target_document_id where l.owner_document_id = s.document_id and l.published = s.published and l.locale = '') as topics,
      (select json_agg(t.place) from stories_list_links l join topic t on t.document_id = l.target_document_id where l.owner_document_id = s.document_id and l.published = s.published and l.locale = '') as list,
      (select t.place from topic t where t.document_id = s.main_document_id) as main,
      jsonb_path_query_array(s.badges, '$[*].text') as badges, s.box ->> 'label' as label,
      (select t.place from topic t where t.document_id = s.box ->> 'topic') as box_topic, s.box #>> '{badges,0,text}' as inner_badge, s.zone #>> '{0,text}' as zone
    from stories s order by 1, 2, 3`);
  const problems = rows.flatMap((row) => {
    const n = Number(row['rank']);
    const own = Number(/^v(\d+)$/.exec(String(row['title']))?.[1]);
    // Shared values are of one write; localized ones may be of an older one.
    const shared = {
      topics: [0, 1, 2].map((i) => (n + i) % TOPICS),
      list: [n % TOPICS],
      main: n % TOPICS,
      badges: Array.from({ length: 1 + (n % 3) }, (_, i) => `${n} ${i}`),
      zone: `${n}`,
    };
    const local = { label: `${own}`, box_topic: own % TOPICS, inner_badge: `${own}` };
    return Object.entries({ ...shared, ...local }).flatMap(([part, expected]) =>
      JSON.stringify(expected) ===
      JSON.stringify(typeof expected === 'number' ? Number(row[part]) : row[part])
        ? []
        : [
            `${row['id']} ${row['locale']} ${row['published'] === true ? 'published' : 'draft'}: ${part} is ${JSON.stringify(row[part])}, expected ${JSON.stringify(expected)}`,
          ],
    );
  });
  for (const row of rows) {
    const same = rows.filter((other) => other['id'] === row['id'] && other['published'] === row['published']);
    if (
      row['published'] === true &&
      !rows.some(
        (other) =>
          other['id'] === row['id'] && other['locale'] === row['locale'] && other['published'] === false,
      )
    )
      problems.push(`${row['id']} ${row['locale']} is published without a draft`);
    if (new Set(same.map((other) => other['rank'])).size > 1)
      problems.push(`${row['id']}: the locales do not share one rank`);
  }
  const [{ n } = { n: 0 }] = await sql(
    `select count(*)::int as n from stories_topics_links l where not exists (select 1 from stories s where s.document_id = l.owner_document_id) or not exists (select 1 from topics t where t.document_id = l.target_document_id)`,
  );
  return Number(n) === 0 ? problems : [...problems, `${n} links without an owner or a target`];
}
