/** Commands of `npx nestjs-content-api`, one row each. */
import { readFileSync } from 'node:fs';
import { suggest } from '../content/model/suggest.js';
import { ACCESS_USAGE, runAccess } from './access-command.js';
import { ADOPT_USAGE, runAdopt } from './adopt-command.js';
import { EXPORT_USAGE, IMPORT_USAGE, runExport, runImport } from './archive-commands.js';
import { AUDIT_USAGE, ERASE_USAGE, runAudit, runErase } from './audit-command.js';
import { CHECK_USAGE, runCheck } from './check-command.js';
import { type Surroundings, UsageError } from './command.js';
import { explained } from './command-errors.js';
import { DESK_USAGE, runDesk } from './desk-command.js';
import { EVENTS_USAGE, runEvents, runWebhooks, WEBHOOKS_USAGE } from './events-command.js';
import { runFiles } from './files-command.js';
import { runMigration } from './migration-command.js';
import { RECOUNT_USAGE, runRecount } from './recount-command.js';
import { runToken } from './token-command.js';
import { runTypes, TYPES_USAGE } from './types-command.js';
import { runUser, USER_USAGE } from './user-command.js';

interface Command {
  readonly usage: string;
  /** Whether the command itself prints a longer text for `--help`. */
  readonly hasHelp?: true;
  /** Returns the output. Throws an Error whose message is for the user. */
  readonly run: (args: readonly string[], surroundings: Surroundings) => Promise<string>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  token: {
    usage: 'token <command> [options]     API tokens; see "token --help"',
    hasHelp: true,
    run: (args, { env }) => runToken(['token', ...args], env),
  },
  files: {
    usage: 'files check [options]         bytes of files; see "files --help"',
    hasHelp: true,
    run: (args) => runFiles(['files', ...args]),
  },
  user: { usage: USER_USAGE, run: runUser },
  access: { usage: ACCESS_USAGE, run: runAccess },
  desk: { usage: DESK_USAGE, run: runDesk },
  webhooks: { usage: WEBHOOKS_USAGE, hasHelp: true, run: runWebhooks },
  events: { usage: EVENTS_USAGE, run: runEvents },
  audit: { usage: AUDIT_USAGE, run: runAudit },
  erase: { usage: ERASE_USAGE, run: runErase },
  check: { usage: CHECK_USAGE, run: runCheck },
  migration: {
    usage: 'migration [options]           migrates tables and content to the model; see "migration --help"',
    hasHelp: true,
    run: runMigration,
  },
  export: { usage: EXPORT_USAGE, run: runExport },
  import: { usage: IMPORT_USAGE, run: runImport },
  adopt: { usage: ADOPT_USAGE, run: runAdopt },
  recount: { usage: RECOUNT_USAGE, run: runRecount },
  types: { usage: TYPES_USAGE, run: runTypes },
};

const HELP: readonly string[] = ['--help', '-h'];
const VERSION: readonly string[] = ['--version', '-v'];

/** Returns the version of this package. */
function versionOf(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

const usage = (): string =>
  ['Usage: nestjs-content-api <command>', '', ...Object.values(COMMANDS).map((one) => `  ${one.usage}`)].join(
    '\n',
  );

const noSuchCommand = (name: string): string =>
  `There is no command "${name}"${suggest(name, Object.keys(COMMANDS))}`;

/** Runs a command and returns its output. Throws an Error whose message is for the user. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<string> {
  const [name = '', ...rest] = args;
  if (['help', ...HELP].includes(name)) return usage();
  if (VERSION.includes(name)) return versionOf();
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new UsageError(name === '' ? usage() : `${noSuchCommand(name)}\n\n${usage()}`);
  if (command.hasHelp !== true && rest.some((one) => HELP.includes(one)))
    return `Usage: nestjs-content-api ${command.usage}`;
  try {
    return await command.run(rest, surroundings);
  } catch (error) {
    throw explained(error);
  }
}
