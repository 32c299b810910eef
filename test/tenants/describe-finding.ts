import type { Asked } from './requests.ts';
import type { Finding } from './pair.ts';

const show = ({ method, path, body, tagOf }: Asked): string =>
  `${method} /api/${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}${tagOf === undefined ? '' : ` (If-Match of ${tagOf})`}`;

/** Describes a finding with all requests before it. */
export const describeFinding = ({ role, question, after, problem }: Finding): string =>
  [`as ${role}:`, ...after.map((one) => `  after ${show(one)}`), show(question), `  ${problem}`].join('\n');
