import { createDatabase } from '../support/database.ts';
import { startApp, createTables, withSql } from './apps.ts';
import { model } from './model.ts';
import { fill } from './content.ts';
import { buildSchema } from './internals.ts';
it('fills', async () => {
  const db = await createDatabase();
  const a = await startApp(model, db.url);
  await createTables(a.app);
  try { const t = performance.now();
  await withSql(db.url, (sql) => fill(a.app, sql, buildSchema(model.contentTypes, model.components)));
  console.log(performance.now() - t);
  await withSql(db.url, async (sql) => console.log(JSON.stringify((await sql('select * from dossiers')).slice(0,2), null, 1).slice(0, 6000)));
  } finally { await a.close(); } await db.drop();
});
