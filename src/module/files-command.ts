/** Command `files check`: compares the rows of files with the stored bytes. */
import { parseArgs } from 'node:util';
import { FileCheck, type FilesReport } from '../features/media/file-check.js';
import { serviceOf, UsageError, withApplication } from './command.js';

const USAGE = `Usage: nestjs-content-api files check --module <file>[#<export>] [--mend]

  Lists orphaned bytes, files with missing bytes, and unfinished uploads. Orphaned bytes and unfinished uploads
  remain after a crash; --mend removes them. Applications may run during the check.

  --module <file>[#<export>]   compiled Nest module of the application, for example dist/app.module.js#AppModule.
  --help                       prints this text.
`;

const linesOf = ({ orphans, missing, unfinished }: FilesReport): string[] => [
  ...orphans.map((key) => `orphaned    ${key}`),
  ...missing.map(({ documentId, key }) => `missing     ${key}  of file ${documentId}`),
  ...unfinished.map((path) => `unfinished  ${path}`),
];

/** Returns the report. Throws a UsageError with it if problems remain. */
function printReport(report: FilesReport, mend: boolean): string {
  const { files, contents, missing } = report;
  const lines = linesOf(report);
  const summary = `${files} files, ${contents} contents`;
  if (lines.length === 0) return `${summary}: no problems`;
  const text = [
    ...lines,
    `${summary}: ${lines.length} problems${mend ? ', removed orphaned and unfinished bytes' : ''}`,
  ];
  if (mend && missing.length === 0) return text.join('\n');
  throw new UsageError(text.join('\n'));
}

/** Runs the command and returns its output. Throws an Error whose message is for the user. */
export async function runFiles(args: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      module: { type: 'string' },
      mend: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return USAGE.trimEnd();
  const [, command] = positionals;
  if (command !== 'check' || values.module === undefined) throw new UsageError(USAGE);
  return withApplication(values.module, async (app) =>
    printReport(await serviceOf(app, FileCheck, 'FilesModule').run({ mend: values.mend }), values.mend),
  );
}
