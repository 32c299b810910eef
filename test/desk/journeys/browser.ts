/** Browser of the journeys. npm brings it for one platform only. */
import chromium from '@sparticuz/chromium';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';

const platform = `${process.platform}-${process.arch}`;
export const hasBrowser = platform === 'linux-x64';
if (!hasBrowser) console.log(`Skipped: npm has no browser for ${platform}`);

/** Starts a browser. With a folder of its own, it finds its storage there again. */
export const launch = async (userDataDir?: string, flags: readonly string[] = []): Promise<Browser> =>
  puppeteer.launch({
    ...(userDataDir === undefined ? {} : { userDataDir }),
    // A browser in one process ends with the first context that is closed.
    args: puppeteer
      .defaultArgs({ args: [...chromium.args, ...flags], headless: 'shell' })
      .filter((flag) => flag !== '--single-process'),
    executablePath: await chromium.executablePath(),
    headless: 'shell',
  });

/** Milliseconds that a page may take for one step: a loaded machine is slow. */
export const PATIENCE = 45_000;

export interface Opened {
  readonly page: Page;
  /** Violations of the policy, errors of scripts and requests of other servers. */
  readonly complaints: string[];
  readonly close: () => Promise<void>;
}

/** Responses that journeys provoke, which the browser logs as errors. */
const EXPECTED = /status of (?:400|401|403|404|409|412|413|503|524)|net::ERR_/;

/** Opens a page, and collects everything that must not happen. */
export async function openPage(context: Browser | BrowserContext, origin: string): Promise<Opened> {
  const page = await context.newPage();
  const complaints: string[] = [];
  await page.setViewport({ width: 1280, height: 900 });
  page.setDefaultTimeout(PATIENCE);
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type()) && !EXPECTED.test(message.text()))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(?:data|blob):/.test(request.url()))
      complaints.push(request.url());
  });
  return { page, complaints, close: () => page.close() };
}

/** Lets requests reach the API, and loses each response until the returned function is called. */
export async function loseResponses(page: Page): Promise<() => Promise<unknown>> {
  const session = await page.createCDPSession();
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' }).catch(() => undefined);
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/api/*', requestStage: 'Response' }] });
  return () => session.send('Fetch.disable');
}

/** Responds to the next request of each pattern as a server that is unavailable for a moment. */
export async function refuseOnce(page: Page, patterns: readonly string[]): Promise<void> {
  for (const urlPattern of patterns) {
    const session = await page.createCDPSession();
    session.on('Fetch.requestPaused', ({ requestId }) => {
      const response = { requestId, responseCode: 503, responseHeaders: [] };
      const end = (): Promise<void> => session.detach();
      session
        .send('Fetch.fulfillRequest', response)
        .then(end)
        .catch(() => undefined);
    });
    await session.send('Fetch.enable', { patterns: [{ urlPattern, requestStage: 'Request' }] });
  }
}

const refusal = (requestId: string) => ({ requestId, responseCode: 503, responseHeaders: [] });

/** Refuses all requests of a pattern, until the returned function is called. */
export async function failRequests(page: Page, urlPattern: string): Promise<() => Promise<unknown>> {
  const session = await page.createCDPSession();
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.fulfillRequest', refusal(requestId)).catch(() => undefined);
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern, requestStage: 'Request' }] });
  return () => session.send('Fetch.disable');
}

/**
 * Holds requests of a pattern back. Returns a function that lets them reach the server, or refuses them. Later
 * ones reach the server.
 */
export async function holdRequests(
  page: Page,
  urlPattern: string,
  end: 'send' | 'refuse' = 'send',
): Promise<() => Promise<void>> {
  const session = await page.createCDPSession();
  const release = Promise.withResolvers<void>();
  let isHolding = true;
  session.on('Fetch.requestPaused', ({ requestId }) => {
    const isRefused = isHolding && end === 'refuse';
    const sent = release.promise.then(async () => {
      if (isRefused) await session.send('Fetch.fulfillRequest', refusal(requestId));
      else await session.send('Fetch.continueRequest', { requestId });
    });
    // The page has given up the request.
    void sent.catch(() => undefined);
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern }] });
  // Fetch.disable might lose a request that is about to be paused.
  return () => {
    isHolding = false;
    release.resolve();
    return release.promise;
  };
}

/** Chooses files in the dialog that an action opens. The page intercepts the dialog before the action begins. */
export async function chooseFiles(
  page: Page,
  act: () => Promise<unknown>,
  paths: readonly string[],
): Promise<void> {
  const opened = page.waitForFileChooser();
  // The error of the action comes first.
  opened.catch(() => undefined);
  // The browser answers in order.
  await page.evaluate('0');
  await act();
  await (await opened).accept([...paths]);
}
