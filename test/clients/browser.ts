/** Application with react-admin in a browser, on a separate origin. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import chromium from '@sparticuz/chromium';
import puppeteer, { type Page } from 'puppeteer-core';
import { load } from './installed/load.mjs';

/** Bundles the application into one script. */
async function bundle(): Promise<string> {
  const { build } = await load('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./installed/admin.jsx', import.meta.url))],
    bundle: true,
    write: false,
    minify: true,
    jsx: 'automatic',
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0].text as string;
}

const PAGE = '<!doctype html><meta charset="utf-8"><title>Admin</title><body><script src="/app.js"></script>';

export interface Admin {
  readonly page: Page;
  readonly close: () => Promise<void>;
}

/** Opens the application, which uses the API at `origin`. */
export async function openAdmin(origin: string): Promise<Admin> {
  const script = await bundle();
  const server = createServer(({ url }, response) => {
    const isScript = url === '/app.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript; charset=utf-8' : 'text/html');
    response.end(isScript ? script : PAGE);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const browser = await puppeteer.launch({
    args: puppeteer.defaultArgs({ args: chromium.args, headless: 'shell' }),
    executablePath: await chromium.executablePath(),
    headless: 'shell',
  });
  const page = await browser.newPage();
  await page.setViewport({ width: 1200, height: 900 });
  page.setDefaultTimeout(20_000);
  await page.goto(`http://127.0.0.1:${port}/?api=${encodeURIComponent(origin)}`);
  const close = async (): Promise<void> => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  };
  return { page, close };
}
