/**
 * Honest limit as a server: node:http alone, for the two benched bodies.
 *
 * node honest.mjs --database-url postgresql://…
 */
import { createServer } from 'node:http';
import { dataOf, Refusal } from './honest-checks.mjs';
import { post, put, refusalOf } from './honest-writes.mjs';

const MOST_BYTES = 1_048_576;

async function bodyOf(request) {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw new Refusal(415, 'Bodies are JSON');
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Refusal(413, 'The body is too large');
    chunks.push(chunk);
  }
  return dataOf(Buffer.concat(chunks).toString('utf8'));
}

const PATH = /^\/api\/articles(?:\/(\w+))?$/;

async function answer(request) {
  const [path, documentId] = PATH.exec(request.url) ?? [];
  if (path !== undefined && request.method === 'POST' && documentId === undefined)
    return [201, await post(await bodyOf(request))];
  if (documentId !== undefined && request.method === 'PUT')
    return [200, await put(documentId, await bodyOf(request))];
  throw new Refusal(404, 'Not Found');
}

function send(response, status, body) {
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
}

const server = createServer((request, response) => {
  answer(request).then(
    ([status, data]) => send(response, status, `{"data":${data},"meta":{}}`),
    (error) => {
      const { status, message, details } = refusalOf(error);
      send(response, status, JSON.stringify({ data: null, error: { status, message, details } }));
    },
  );
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
