/** Uploads over HTTP with bounded concurrency. */
import http from 'node:http';

const BOUNDARY = 'the-boundary-of-the-bench';

/** Returns a form with one file, as the parts to send in order. */
const formOf = ({ name, type, bytes }) => [
  Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
  ),
  bytes,
  Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
];

/** Uploads a file. Resolves with the created file. */
function upload(url, agent, file) {
  const parts = formOf(file);
  const headers = {
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': parts.reduce((sum, part) => sum + part.length, 0),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/api/upload`, { agent, method: 'POST', headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode !== 201) return reject(new Error(`${response.statusCode}: ${text}`));
        resolve(JSON.parse(text)[0]);
      });
    });
    request.on('error', reject);
    for (const part of parts) request.write(part);
    request.end();
  });
}

/** Uploads files, `atATime` of them concurrently. Resolves with the created files and the seconds. */
export async function uploadAll(url, files, atATime) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: atATime });
  const answers = [];
  const waiting = files[Symbol.iterator]();
  const started = performance.now();
  const worker = async () => {
    for (const file of waiting) answers.push(await upload(url, agent, file));
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  return { answers, seconds };
}
