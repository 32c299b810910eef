#!/usr/bin/env node
/** `npx nestjs-content-api …`. */
import 'reflect-metadata';
import { run } from './module/token-command.js';

run(process.argv.slice(2), process.env).then(
  (answer) => process.stdout.write(`${answer}\n`),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    // An application that could not start may have left something open.
    process.exit(1);
  },
);
