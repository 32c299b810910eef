/**
 * `npm run bench -- desk [--visits 15] [--keys 150] [--rows 500] [--words 20000] [--types 300] [--only lists,many,keys]`: how long editors wait for the desk, in npm's
 * own Chromium. Prints a table and writes bench/results/desk.{md,json}.
 *
 * - List: from the navigation to the frame with the first rows of the sample, with an empty and a full cache.
 * - Many: the same list in an application with many types. A document with many attributes and three zones,
 *   from its response to the frame after its last field. Rows of a list after the sixth follow that frame.
 * - Keys: from the event of a key to the frame after it, in a document with many component rows, and in long texts.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { launch } from '../../test/desk/journeys/browser.ts';
import { startDatabases } from '../databases.mjs';
import { spawnServer } from '../spawn-server.mjs';

const root = join(import.meta.dirname, '..', '..');
const results = join(root, 'bench', 'results');
const PASSWORD = 'a long password of an editor';

/** Goals in milliseconds. */
const GOALS = { list: 1000, key: 16, document: 300 };
/** Attributes of each type, and items of each zone, in the application with many types. */
const MANY = { attributes: 60, items: 40 };
/** Milliseconds between two keys of a fast typist. */
const KEY_PAUSE = 80;

const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const summary = (values) => ({ median: quantile(values, 0.5), p95: quantile(values, 0.95) });

/** Records the time of the frame that first shows rows. It runs in the page before its own scripts. */
const WATCH_ROWS = `
  const look = () => {
    if (document.querySelector('tbody .desk-row-link') === null) return requestAnimationFrame(look);
    requestAnimationFrame(() => { window.rowsAt = performance.now(); });
  };
  requestAnimationFrame(look);
`;

/** Records the milliseconds from each key to the frame after it. It runs in the page. */
const WATCH_KEYS = `
  window.paints = [];
  addEventListener('keydown', (event) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => window.paints.push(performance.now() - event.timeStamp);
    requestAnimationFrame(() => port2.postMessage(null));
  }, { capture: true });
`;

const build = () => {
  const run = (file, ...args) =>
    execFileSync(process.execPath, [join(root, 'node_modules', file), ...args], {
      cwd: root,
      stdio: 'inherit',
    });
  run('vite/bin/vite.js', 'build', '--config', 'desk/vite.config.ts', '--logLevel', 'error');
  run('typescript/bin/tsc', '-p', 'tsconfig.sample.json');
};

/** Opens the desk in a new browser with a session. */
async function enter(invitation) {
  const browser = await launch();
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  const link = new URL(invitation);
  const desk = `${link.origin}${link.pathname.replace(/\/invitation$/, '')}`;
  await page.goto(invitation);
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.locator('::-p-aria([name="Set password and sign in"][role="button"])').click();
  await page.waitForSelector('tbody .desk-row-link');
  return { browser, page, desk };
}

/** Returns the milliseconds until the list of a type shows rows, for several visits. */
async function visit({ page, desk }, { path, visits, isCached }) {
  await page.setCacheEnabled(isCached);
  const times = [];
  for (let i = 0; i < visits; i += 1) {
    await page.goto('about:blank');
    await page.goto(`${desk}${path}`);
    await page.waitForFunction('window.rowsAt !== undefined', { polling: 20 });
    times.push(await page.evaluate('window.rowsAt'));
  }
  return times;
}

async function measureLists(databases, visits) {
  const server = await spawnServer({
    args: [join(import.meta.dirname, 'sample-server.mjs'), '--database-url', await databases.create()],
  });
  try {
    const [invitation] = /http:\S+\/invitation#\S+/.exec(server.output()) ?? [];
    // The sample uploads its pictures in the background.
    while (!/pictures\s+(\d+) of \1/.test(server.output())) await sleep(200);
    const desk = await enter(invitation);
    await desk.page.evaluateOnNewDocument(WATCH_ROWS);
    const rows = [];
    for (const path of ['/', '/content/story', '/content/country'])
      for (const isCached of [false, true]) {
        const times = await visit(desk, { path, visits, isCached });
        rows.push({
          name: `list at ${path}, ${isCached ? 'full' : 'empty'} cache`,
          goal: GOALS.list,
          ...summary(times),
        });
      }
    await desk.browser.close();
    return rows;
  } finally {
    await server.stop();
  }
}

/** Types keys into a field, and returns the milliseconds of each, and the work of the page per key. */
async function type(page, selector, keys) {
  await page.focus(selector);
  const session = await page.createCDPSession();
  await session.send('Performance.enable');
  const worked = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  };
  await page.evaluate('window.paints.length = 0');
  const before = await worked();
  for (let i = 0; i < keys; i += 1) {
    await page.keyboard.press('abcdefghij'[i % 10]);
    await sleep(KEY_PAUSE);
  }
  const work = ((await worked()) - before) / keys;
  await session.detach();
  return { paints: await page.evaluate('window.paints'), work };
}

async function measureKeys(databases, { rows, words, keys }) {
  const server = await spawnServer({
    args: [
      join(import.meta.dirname, 'rows-server.mjs'),
      ...['--database-url', await databases.create(), '--rows', String(rows), '--words', String(words)],
    ],
  });
  try {
    const [, invitation] = /invitation: (\S+)/.exec(server.output());
    const { browser, page, desk } = await enter(invitation);
    await page.goto(`${desk}/content/sheet`);
    await page.waitForSelector('tbody .desk-row-link');
    await page.click('tbody .desk-row-link');
    await page.waitForSelector('[data-path=rows] [aria-expanded=false]');
    await page.click('[data-path=rows] [aria-expanded=false]');
    await page.waitForSelector('[data-path$="/note"]');
    await page.evaluate(WATCH_KEYS);
    const found = [];
    for (const [name, selector] of [
      ['the title', '[data-path=title]'],
      ['a row', '[data-path$="/note"]'],
    ]) {
      const { paints, work } = await type(page, selector, keys);
      found.push({ name: `key in ${name}, ${rows} rows`, goal: GOALS.key, ...summary(paints), work });
    }
    await page.goto(`${desk}/content/essay`);
    await page.waitForSelector('tbody .desk-row-link');
    await page.click('tbody .desk-row-link');
    await page.evaluate(WATCH_KEYS);
    for (const name of ['story', 'body']) {
      const selector = `[data-path=${name}] [role=textbox]`;
      await page.waitForSelector(selector);
      // In the middle of the text.
      await page.click(selector);
      const { paints, work } = await type(page, selector, keys);
      const kind = name === 'story' ? 'blocks' : 'Markdown';
      found.push({ name: `key in ${kind} of ${words} words`, goal: GOALS.key, ...summary(paints), work });
    }
    await browser.close();
    return found;
  } finally {
    await server.stop();
  }
}

/** Milliseconds from the response with a document to the frame after its last field. It runs in the page. */
const WATCH_DOCUMENT = `
  const find = () => performance.getEntriesByType('resource').find(({ name }) => /\\/api\\/kinds-0\\/\\w{20,}/.test(name));
  const lookForField = () => {
    if (document.querySelector('[data-path=zone3]') === null) return requestAnimationFrame(lookForField);
    requestAnimationFrame(() => { window.shownAfter = performance.now() - find().responseEnd; });
  };
  requestAnimationFrame(lookForField);
`;

/** Measures an application with many types: its list, its model, and a document with many attributes. */
async function measureMany(databases, { types, visits }) {
  const { attributes, items } = MANY;
  const server = await spawnServer({
    args: [
      join(import.meta.dirname, 'many-server.mjs'),
      ...['--database-url', await databases.create(), '--types', String(types)],
      ...['--attributes', String(attributes), '--items', String(items)],
    ],
    timeoutSeconds: 600,
  });
  try {
    const [, invitation] = /invitation: (\S+)/.exec(server.output());
    const desk = await enter(invitation);
    const { page } = desk;
    const address = await page.$eval('tbody .desk-row-link', (link) => link.getAttribute('href'));
    await page.evaluateOnNewDocument(WATCH_ROWS);
    await page.evaluateOnNewDocument(WATCH_DOCUMENT);
    const lists = await visit(desk, { path: '/content/kind-0', visits, isCached: true });
    const model = await page.evaluate(
      "(({ duration, encodedBodySize }) => ({ duration, encodedBodySize }))(performance.getEntriesByType('resource').find(({ name }) => new URL(name).pathname.endsWith('/desk/model')))",
    );
    const shown = [];
    for (let i = 0; i < visits; i += 1) {
      await page.goto('about:blank');
      await page.goto(`${new URL(desk.desk).origin}${address}`);
      await page.waitForFunction('window.shownAfter !== undefined', { polling: 20 });
      shown.push(await page.evaluate('window.shownAfter'));
    }
    await desk.browser.close();
    console.log(`Model: ${Math.round(model.encodedBodySize / 1000)} kB in ${Math.round(model.duration)} ms`);
    return [
      { name: `list, ${types} types of ${attributes} attributes`, goal: GOALS.list, ...summary(lists) },
      {
        name: `document of ${attributes} attributes, 3 zones of ${items} items`,
        goal: GOALS.document,
        ...summary(shown),
      },
    ];
  } finally {
    await server.stop();
  }
}

/** Rows of the last run that this one did not measure. */
async function formerRows(measured) {
  const text = await readFile(join(results, 'desk.json'), 'utf8').catch(() => '{"rows":[]}');
  return JSON.parse(text).rows.filter(({ name }) => !measured.some((one) => one.name === name));
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      visits: { type: 'string', default: '15' },
      keys: { type: 'string', default: '150' },
      rows: { type: 'string', default: '500' },
      words: { type: 'string', default: '20000' },
      types: { type: 'string', default: '300' },
      only: { type: 'string', default: 'lists,many,keys' },
    },
  });
  const [visits, keys, count, types] = [values.visits, values.keys, values.rows, values.types].map(Number);
  const words = Number(values.words);
  const parts = values.only.split(',');
  build();
  const databases = await startDatabases();
  try {
    const measured = [
      ...(parts.includes('lists') ? await measureLists(databases, visits) : []),
      ...(parts.includes('many') ? await measureMany(databases, { types, visits }) : []),
      ...(parts.includes('keys') ? await measureKeys(databases, { rows: count, words, keys }) : []),
    ];
    // A run of some parts keeps the figures of the others.
    const rows = [...(await formerRows(measured)), ...measured];
    const markdown = [
      '# The desk in a browser',
      '',
      `Milliseconds until editors see something, in the Chromium that npm installs. ${visits} visits of each list, ${keys} keys in each field.`,
      '',
      '| measured | goal of the median | median | 95th percentile | work of the page per key |',
      '| --- | --- | --- | --- | --- |',
      ...rows.map(
        ({ name, goal, median, p95, work }) =>
          `| ${name} | ${goal} | ${median.toFixed(1)} | ${p95.toFixed(1)} | ${work === undefined ? '–' : work.toFixed(1)} |`,
      ),
      '',
    ].join('\n');
    console.log(markdown);
    await mkdir(results, { recursive: true });
    await writeFile(join(results, 'desk.md'), markdown);
    await writeFile(join(results, 'desk.json'), `${JSON.stringify({ rows }, null, 1)}\n`);
    if (measured.some(({ goal, median }) => median > goal)) process.exitCode = 1;
  } finally {
    await databases.stop();
  }
}
