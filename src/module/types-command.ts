/** `npx nestjs-content-api types`: the model's documents and inputs as TypeScript, for front ends. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { CONTENT_SCHEMA, type Schema } from '../schema/model.js';
import { printTypes } from '../typing/print-types.js';
import { moduleNamed, UsageError } from './command.js';

const USAGE = `Usage: nestjs-content-api types --module <file>[#<export>] [--out <file>]

  Writes the documents and inputs of all content types as TypeScript, for front ends. No database is needed.

  --module <file>[#<export>]   compiled Nest module of the application, dist/app.module.js#AppModule for example.
  --out <file>                 where to write it, content.d.ts for example. Without it, it is printed.
  --help                       prints this.
`;

/** The model of an application that is looked at and not started: none of its providers are made. */
async function schemaOf(module: unknown): Promise<Schema> {
  const app = await NestFactory.createApplicationContext(
    module as Parameters<typeof NestFactory.createApplicationContext>[0],
    { logger: ['error'], abortOnError: false, preview: true },
  );
  return app.get<Schema>(CONTENT_SCHEMA, { strict: false });
}

/** Runs the command and answers what to print. Throws an Error whose message is for the user. */
export async function runTypes(args: readonly string[]): Promise<string> {
  const { values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      module: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return USAGE.trimEnd();
  if (values.module === undefined) throw new UsageError(USAGE);
  const schema = await schemaOf(await moduleNamed(values.module));
  const text = printTypes(schema);
  if (values.out === undefined) return text.trimEnd();
  await writeFile(values.out, text);
  return `${values.out}: ${schema.types.size} types, ${schema.components.size} components`;
}
