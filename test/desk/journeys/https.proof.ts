/** The desk on a page without HTTPS, where browsers lack functions that it needs. */
import { hasBrowser, launch, openPage } from './browser.ts';
import { startNewsroom } from './newsroom.ts';

const HOST = 'desk.example';

(hasBrowser ? describe : describe.skip)('a desk without HTTPS', () => {
  it('shows the reason instead of an empty page', async () => {
    const room = await startNewsroom('express');
    const browser = await launch(undefined, [`--host-resolver-rules=MAP ${HOST} 127.0.0.1`]);
    try {
      const { port } = new URL(room.url);
      const { page, complaints } = await openPage(browser, `http://${HOST}:${port}`);
      await page.goto(`http://${HOST}:${port}/desk`);
      const main = await page.waitForSelector('main');
      expect(await main?.evaluate((element) => element.textContent)).toBe(
        'The desk needs HTTPS. Replace http:// with https:// in the address of this page.',
      );
      // The browser reports a header that it ignores on such a page.
      expect(complaints.filter((text) => !text.startsWith('The Cross-Origin-Opener-Policy'))).toEqual([]);
    } finally {
      await browser.close();
      await room.close();
    }
  });
});
