/** Findings of axe, which checks a page for people with disabilities. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Returns the serious findings on a page. */
export async function findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate('window.axe !== undefined'))) {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    await page.evaluate(axe);
  }
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.parse(JSON.stringify({ violations })))',
  )) as { violations: Finding[] };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
