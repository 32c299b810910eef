/**
 * `npm run clients`: runs unmodified clients of the protocol against this library. Prints a table and writes
 * it into docs/clients.md; exits with 1 on a failure.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { startPostgres } from '../support/postgres-server.ts';
import { CLIENTS } from './checks.ts';
import { startBlog } from './server.ts';

/** Modules that the bundlers of Nuxt and Astro provide. */
const PROVIDED: Readonly<Record<string, string>> = {
  '#imports': './installed/nuxt-imports.mjs',
  'astro:content': './installed/astro-content.mjs',
};
// Bundlers also add the extension, and `index.js` of a folder.
registerHooks({
  resolve: (specifier, context, next) => {
    const provided = PROVIDED[specifier];
    if (provided !== undefined) return next(new URL(provided, import.meta.url).href, context);
    const isBare = specifier.startsWith('.') && context.parentURL?.includes('astro-strapi-loader') === true;
    for (const end of isBare ? ['.js', '/index.js'] : [])
      try {
        return next(`${specifier}${end}`, context);
      } catch {
        continue;
      }
    return next(specifier, context);
  },
});

const PAGE = new URL('../../docs/clients.md', import.meta.url);
const { dependencies } = JSON.parse(
  readFileSync(new URL('./installed/package.json', import.meta.url), 'utf8'),
) as {
  dependencies: Readonly<Record<string, string>>;
};

const server = await startPostgres();
process.env['TEST_DATABASE_URL'] = server.url;
const rows: string[] = [];
let failed = 0;
try {
  const blog = await startBlog();
  const only = process.argv[2];
  for (const { name, checks } of CLIENTS.filter((one) => only === undefined || one.name === only)) {
    const worked: string[] = [];
    const broken: string[] = [];
    for (const [what, check] of await checks(blog)) {
      try {
        await check();
        worked.push(what);
      } catch (error) {
        broken.push(what);
        console.error(`${name}: ${what}:`, error instanceof Error ? error.message : error);
      }
    }
    failed += broken.length;
    rows.push(
      `| \`${name}\` ${dependencies[name] ?? ''} | ${worked.join('; ')} | ${broken.join('; ') || '—'} |`,
    );
  }
  await blog.close();
} finally {
  await server.stop();
}

const table = ['| client | works | does not |', '|---|---|---|', ...rows].join('\n');
console.log(table);
if (process.argv.length > 2) process.exit(failed === 0 ? 0 : 1);
const page = readFileSync(PAGE, 'utf8');
const [before = ''] = page.split('<!-- written by npm run clients -->');
const [, after = ''] = page.split('<!-- end -->');
writeFileSync(PAGE, `${before}<!-- written by npm run clients -->\n\n${table}\n\n<!-- end -->${after}`);
process.exit(failed === 0 ? 0 : 1);
