/** Views of a screen: in light and dark, and as wide as a phone. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import sharp from 'sharp';
import { findings } from './axe.ts';

const FOLDER = process.env['DESK_SCREENSHOTS'];

/** Screens whose pictures are in the documentation. All others are checked only. */
const PICTURES = [
  'list',
  'document',
  'new',
  'conflict',
  'library',
  'drawer',
  'history',
  'trash',
  'audit',
  'release',
  'sign-in',
].map((screen) => `desk-${screen}`);

interface View {
  readonly name: string;
  readonly scheme: 'light' | 'dark';
  readonly width: number;
}

const VIEWS: readonly View[] = [
  { name: 'light', scheme: 'light', width: 1280 },
  { name: 'dark', scheme: 'dark', width: 1280 },
  { name: 'phone', scheme: 'light', width: 390 },
];

/** Elements that make the page wider than the window, unless they scroll on their own. */
const OVERFLOWING = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => one.outerHTML.slice(0, 120)).slice(0, 5)`;

/** Icons that a screen reader reads as pictures without a name. */
const NAMELESS = `[...document.querySelectorAll('svg:not([aria-label], [aria-hidden=true], [aria-hidden=true] *)')]
  .map((one) => 'Icon without a name: ' + one.parentElement.outerHTML.slice(0, 160))`;

/** Resolves two frames later, so that the page has seen its new size and scheme. */
const FRAMES =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(0))))';
const IS_STILL = 'document.getAnimations().every(({ playState }) => playState !== "running")';

async function show(page: Page, { scheme, width }: View): Promise<void> {
  await page.setViewport({ width, height: 860, deviceScaleFactor: 1 });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.evaluate(FRAMES);
  await page.waitForFunction(IS_STILL);
}

async function keepPicture(page: Page, name: string): Promise<void> {
  if (FOLDER === undefined) return;
  await mkdir(FOLDER, { recursive: true });
  const png = await page.screenshot();
  await sharp(png)
    .png({ palette: true, quality: 90, effort: 10 })
    .toFile(join(FOLDER, `${name}.png`));
}

/** Shows one screen in every view. Returns findings of axe, icons without a name, and what is too wide. */
export async function checkViews(page: Page, name: string, visit: () => Promise<void>): Promise<string[]> {
  const found: string[] = [];
  const [first] = VIEWS;
  if (first !== undefined) await show(page, first);
  await visit();
  for (const view of VIEWS) {
    await show(page, view);
    if (PICTURES.includes(name)) await keepPicture(page, `${name}-${view.name}`);
    const wide = (await page.evaluate(OVERFLOWING)) as string[];
    const nameless = (await page.evaluate(NAMELESS)) as string[];
    found.push(...[...(await findings(page)), ...wide, ...nameless].map((one) => `${view.name}: ${one}`));
  }
  return found;
}
