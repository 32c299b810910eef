/** Command `types`: prints the model's documents and inputs as TypeScript, for front ends. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { printTypes } from '../types/print-types.js';
import { importModule, UsageError } from './command.js';

export const TYPES_USAGE = `types --module <module> [--out <file>]
      Writes the documents and inputs of all types as TypeScript, for front ends. Needs no database.`;

/** Reads the model of an application in Nest's preview mode, which creates no providers. */
async function schemaOf(module: unknown): Promise<Schema> {
  const app = await NestFactory.createApplicationContext(
    module as Parameters<typeof NestFactory.createApplicationContext>[0],
    { logger: ['error'], abortOnError: false, preview: true },
  );
  return app.get<Schema>(CONTENT_SCHEMA, { strict: false });
}

/** Writes the types into a file, or returns them. Throws a UsageError without a module. */
export async function runTypes(args: readonly string[]): Promise<string> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args: [...args], options: { module: text, out: text } });
  if (values.module === undefined) throw new UsageError('Give --module, the module of your application');
  const schema = await schemaOf(await importModule(values.module));
  const types = printTypes(schema);
  if (values.out === undefined) return types.trimEnd();
  await writeFile(values.out, types);
  return `${values.out}: ${schema.types.size} types, ${schema.components.size} components`;
}
