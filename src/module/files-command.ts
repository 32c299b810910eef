/** `npx nestjs-content-api files check`: whether the rows of files and their bytes fit. */
import { parseArgs } from 'node:util';
import { FileCheck, type FilesReport } from '../files/file-check.js';
import { moduleNamed, openContext, UsageError } from './command.js';

const USAGE = `Usage: nestjs-content-api files check --module <file>[#<export>] [--mend]

  Lists bytes that no file has, files whose bytes are gone, and uploads that broke off. What a process that
  died has left is the first and the last; --mend removes it. Applications may run meanwhile.

  --module <file>[#<export>]   compiled Nest module of the application, dist/app.module.js#AppModule for example.
  --help                       prints this.
`;

const linesOf = ({ orphans, missing, unfinished }: FilesReport): string[] => [
  ...orphans.map((key) => `no file has  ${key}`),
  ...missing.map(({ documentId, key }) => `bytes gone   ${key}  of file ${documentId}`),
  ...unfinished.map((path) => `broken off   ${path}`),
];

/** What is to be printed. Throws a UsageError that says it where something is left to be done. */
function said(report: FilesReport, mend: boolean): string {
  const { files, contents, missing } = report;
  const lines = linesOf(report);
  const summary = `${files} files, ${contents} contents`;
  if (lines.length === 0) return `${summary}: all fit`;
  const text = [...lines, `${summary}: ${lines.length} do not fit${mend ? ', removed what nobody has' : ''}`];
  if (mend && missing.length === 0) return text.join('\n');
  throw new UsageError(text.join('\n'));
}

/** Runs the command and answers what to print. Throws an Error whose message is for the user. */
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
  const app = await openContext(await moduleNamed(values.module));
  try {
    return said(await app.get(FileCheck, { strict: false }).run({ mend: values.mend }), values.mend);
  } finally {
    await app.close();
  }
}
