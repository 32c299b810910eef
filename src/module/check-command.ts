/** Command `check`: compares the content in the database with the model. */
import { parseArgs } from 'node:util';
import { Database } from '../content/store/database.js';
import { checkContent } from '../features/evolution/content-check.js';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../kernel/settings.js';
import { UsageError, withApplication } from './command.js';

export const CHECK_USAGE = `check --module <module>
      Compares the content in the database with the model, and prints the differences. The exit code is 1 if
      there are any, except single values that a write would refuse.`;

export async function runCheck(args: readonly string[]): Promise<string> {
  const { values } = parseArgs({ args: [...args], options: { module: { type: 'string' } } });
  const { unreachable, findings } = await withApplication(values.module, (app) => {
    const options = { strict: false };
    const database = app.get(Database, options);
    const schema = app.get<Schema>(CONTENT_SCHEMA, options);
    const settings = app.get<ContentSettings>(CONTENT_SETTINGS, options);
    return checkContent({ database, schema, settings }, true);
  });
  if (unreachable !== null) throw new UsageError(unreachable);
  const lines = findings.map(({ weight, text }) => `${weight.padEnd(5)}  ${text}`).join('\n');
  if (findings.some(({ weight }) => weight !== 'value')) throw new UsageError(lines);
  return ['The content in the database matches the model', lines].filter((line) => line !== '').join('\n');
}
