/** Compares the response to a HEAD with that to the same GET. */
import type { Difference } from './compare.ts';
import type { Answer } from './request.ts';

const SAME = ['content-type', 'content-length', 'allow', 'vary', 'cache-control'];

export function compareHead(get: Answer, head: Answer): Difference[] {
  const parts: [string, unknown, unknown][] = [
    ['HEAD status', get.status, head.status],
    ['HEAD body', '', head.body],
    ...SAME.map((name): [string, unknown, unknown] => [
      `HEAD headers.${name}`,
      get.headers[name],
      head.headers[name],
    ]),
  ];
  return parts.flatMap(([path, recorded, ours]) => (recorded === ours ? [] : [{ path, recorded, ours }]));
}
