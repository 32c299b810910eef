/**
 * A process that uploads, replaces and deletes until it is killed: `node file-kill-child.ts <url>
 * <directory>`.
 */
import { contentOf, sendFile, startFiles } from './file-app.ts';

const [, , databaseUrl = '', directory = ''] = process.argv;
const { url } = await startFiles({ databaseUrl, directory });

// The first upload loads the modules.
await sendFile(url, contentOf(0));
process.send?.('ready');
await Promise.all(
  Array.from({ length: 6 }, async (_, writer) => {
    for (let n = 0; ; n += 1) {
      // Few contents, so that writers share and replace them.
      const file = await sendFile(url, contentOf(writer + n));
      await sendFile(url, contentOf(writer + n + 1), file.id);
      if (n % 2 === 0) await fetch(`${url}/api/upload/files/${file.id}`, { method: 'DELETE' });
    }
  }),
);
