#!/usr/bin/env node
/** `npx nestjs-content-api …`. */
import 'reflect-metadata';
import { runFiles } from './module/files-command.js';
import { runMigration } from './module/migration-command.js';
import { run } from './module/token-command.js';

const args = process.argv.slice(2);

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<string>>> = {
  files: runFiles,
  migration: ([, ...rest]) => runMigration(rest),
};
const command = COMMANDS[args[0] ?? ''] ?? ((all: readonly string[]) => run(all, process.env));

command(args).then(
  (answer) => process.stdout.write(`${answer}\n`),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    // An application that could not start may have left something open.
    process.exit(1);
  },
);
