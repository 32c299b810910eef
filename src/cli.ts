#!/usr/bin/env node
/** `npx nestjs-content-api …`. */
import 'reflect-metadata';
import { runFiles } from './module/files-command.js';
import { run } from './module/token-command.js';

const args = process.argv.slice(2);

(args[0] === 'files' ? runFiles(args) : run(args, process.env)).then(
  (answer) => process.stdout.write(`${answer}\n`),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    // An application that could not start may have left something open.
    process.exit(1);
  },
);
