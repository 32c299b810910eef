/** Recipe of docs/migrations.md; `migrations.proof.ts` follows its worked example. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHost } from './http/helpers.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../docs/migrations.md'), 'utf8');

it('S4: the recipe for lists renames a key in every instance that has it, at its position', async () => {
  const recipe = /```sql\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '';
  const host = await startHost(() => ({}));
  try {
    await host.sql('create table articles (id int, sections jsonb)');
    const before = [
      '[{"id": 1, "metaTitle": "a"}, {"id": 2, "text": "b"}, {"id": 3, "metaTitle": null}]',
      '[]',
      null,
    ];
    for (const [i, value] of before.entries())
      await host.sql('insert into articles values ($1, $2)', [i, value]);
    await host.sql(recipe);
    expect(
      (await host.sql('select sections from articles order by id')).map(({ sections }) => sections),
    ).toEqual([
      [
        { id: 1, pageTitle: 'a' },
        { id: 2, text: 'b' },
        { id: 3, pageTitle: null },
      ],
      [],
      null,
    ]);
  } finally {
    await host.close();
  }
});
