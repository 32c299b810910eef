#!/usr/bin/env node
/** Command `npx nestjs-content-api …`. */
import { messageOf } from './kernel/errors.js';
import 'reflect-metadata';
import { InterruptedError } from './module/command.js';
import { run } from './module/command-line.js';
import { processTerminal } from './module/terminal.js';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

run(process.argv.slice(2), { env: process.env, say, terminal: processTerminal(process) }).then(
  // Handles that an application leaves open, such as a timer, would keep the process alive.
  (answer) => process.stdout.write(`${answer}\n`, () => process.exit()),
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(error instanceof InterruptedError ? error.exitCode : 1);
  },
);
