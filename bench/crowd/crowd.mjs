/**
 * Repeats requests until it receives a stop message: `node crowd.mjs <url> <connections> <milliseconds until
 * abort, 0 for none>`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { get } from './get.mjs';

const [url, many, patience] = process.argv.slice(2);
const hangUpAfter = Number(patience) || undefined;
const answers = [];
let isOver = false;

const one = async () => {
  while (!isOver) {
    const answer = await get(url, { hangUpAfter });
    answers.push(answer);
    if (answer.status === 503) await sleep(100);
  }
};

process.on('message', () => (isOver = true));
await Promise.all(Array.from({ length: Number(many) }, one));
process.send(answers);
