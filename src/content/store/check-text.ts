/** Check at the start: the database stores every character, and compares letters without case. */
import { param, print, sql } from '../../kernel/sql.js';
import type { Runner } from '../../pool/runner.js';

const ENCODING = print(sql`select current_setting('server_encoding') as encoding`);
const LOWER = print(sql`select lower(${param('ÜI')}::text) as lowered`);

const CREATE = `Create the database with "encoding 'UTF8'", and copy the content into it`;
const CASE_BLIND = '$eqi, $containsi and the other operators without case, and the search _q';

/** Advice for encodings other than UTF8. */
const SQL_ASCII =
  'The database has the encoding SQL_ASCII: it accepts invalid text, and counts bytes as characters. ' +
  CREATE;
const narrow = (encoding: string): string =>
  `The database has the encoding ${encoding}: requests with other characters fail with 400. ${CREATE}`;

/** Advice by the lower case of "ÜI". A locale without letters beyond ASCII keeps the first letter. */
const ADVICE = new Map([
  [
    'Üi',
    `The locale of the database has no lower case for letters beyond ASCII: ${CASE_BLIND} treat "Ü" and "ü" as ` +
      'different. Create the database with a UTF-8 locale such as "locale_provider icu icu_locale \'und\'"',
  ],
  [
    'üı',
    `The locale of the database turns "I" into "ı": ${CASE_BLIND} do not find "istanbul" for "ISTANBUL". ` +
      'Create the database with another locale, if your content is not Turkish',
  ],
]);

/** Returns advice about encoding and locale, one sentence each. Throws if the database is unreachable. */
export async function checkText(run: Runner['run']): Promise<readonly string[]> {
  const [row] = await run(ENCODING);
  const encoding = String(row?.['encoding']);
  if (encoding === 'SQL_ASCII') return [SQL_ASCII];
  if (encoding !== 'UTF8') return [narrow(encoding)];
  const [found] = await run(LOWER);
  return [ADVICE.get(String(found?.['lowered'])) ?? []].flat();
}
