import http from 'node:http';

/** Sends one GET. Closes its connection after `hangUpAfter` milliseconds without a response. */
export function get(url, { agent, hangUpAfter } = {}) {
  return new Promise((resolve) => {
    const started = performance.now();
    const sent = http.get(url, { agent: agent ?? false }, (response) => {
      response.on('data', () => undefined);
      response.on('end', () => done(response.statusCode));
      response.on('error', () => done('hung up'));
    });
    const timer = hangUpAfter === undefined ? undefined : setTimeout(() => sent.destroy(), hangUpAfter);
    const done = (status) => {
      clearTimeout(timer);
      resolve({ status, milliseconds: performance.now() - started });
    };
    sent.on('error', () => done('hung up'));
  });
}
