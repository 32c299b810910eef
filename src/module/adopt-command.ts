/** Command `adopt`: moves a Strapi project into the application. */
import { parseArgs } from 'node:util';
import { openSource, type Source } from '../features/adopt/source.js';
import { type Plan, planOf } from '../features/adopt/plan.js';
import { writeDefinitions } from '../features/adopt/write-definitions.js';
import { writeReport } from '../features/adopt/report.js';
import { Remarks } from '../features/adopt/remark.js';
import { moveContent } from './adopt-content.js';
import { nextSteps } from './adopt-steps.js';
import { onConflictOf } from './archive-commands.js';
import { type Surroundings, UsageError } from './command.js';
import { COMPARE_USAGE, runCompare } from './compare-command.js';
import { rehearse, type Rehearsal } from './convert-content.js';

export const ADOPT_USAGE = `adopt <source> [options]
      Moves a Strapi 4 or 5 project: its folder, an archive of "strapi export", or the URL of a server.
      Without --module, writes the definitions and a report, and prints the next steps.
      --module <module> moves the content into the application, too. Run it again after a crash.
      --out <folder> is the folder of the definitions. Default: src/content.
      --report <file> is the report, without its extension. Default: adopt-report.
      --dry-run writes the report only.
      --key <key> is the key of an encrypted archive; or set STRAPI_KEY.
      --token <token> is an API token with full access, for a URL; or set STRAPI_TOKEN.
      --project <folder> is the project, for its private attributes, and for a URL that does not show its schemas.
      --no-files leaves out the bytes of files.
      --on-conflict skip|refuse|replace decides about documents that exist with other content. Default: skip.
      --overwrite replaces definitions that were changed by hand.
      --work <folder> is the folder of temporary files. Default: .adopt.
    ${COMPARE_USAGE}`;

const OPTIONS = {
  out: { type: 'string', default: 'src/content' },
  module: { type: 'string' },
  report: { type: 'string', default: 'adopt-report' },
  key: { type: 'string' },
  token: { type: 'string' },
  project: { type: 'string' },
  work: { type: 'string', default: '.adopt' },
  'dry-run': { type: 'boolean', default: false },
  'no-files': { type: 'boolean', default: false },
  'on-conflict': { type: 'string', default: 'skip' },
  overwrite: { type: 'boolean', default: false },
} as const;

/** Returns the key of an encrypted archive: given, or typed on a terminal. */
async function keyFor(
  source: string,
  given: string | undefined,
  { env, terminal }: Surroundings,
): Promise<string | undefined> {
  const key = given ?? env['STRAPI_KEY'];
  if (key !== undefined || !source.endsWith('.enc') || terminal?.isInteractive !== true) return key;
  return terminal.ask('Key of the export: ');
}

const counted = (documents: Readonly<Record<string, number>>): string =>
  Object.entries(documents)
    .map(([type, count]) => `${count} ${type}`)
    .join(', ');

interface Reported {
  readonly plan: Plan;
  readonly source: Source;
  readonly report: string;
}

async function reportText({ plan, source, report }: Reported, rehearsal: Rehearsal | null): Promise<string> {
  const remarks = new Remarks();
  remarks.addAll(plan.remarks);
  const counts = await writeReport(report, {
    source: source.location,
    strapi: source.content?.survey.version ?? '',
    remarks: [...remarks.all(), ...(rehearsal?.remarks ?? [])],
    documents: rehearsal?.documents ?? {},
    rows: source.content?.survey.rows ?? new Map(),
    names: plan.names,
  });
  return `Report: ${report}.md (${counts.moved} moved, ${counts.changed} changed, ${counts.none} without counterpart)`;
}

export async function runAdopt(args: readonly string[], surroundings: Surroundings): Promise<string> {
  if (args.some((one) => /^--compare(=|$)/.test(one))) return runCompare(args, surroundings);
  const { env, say } = surroundings;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  const [location, more] = positionals;
  if (location === undefined || more !== undefined)
    throw new UsageError(`Usage: nestjs-content-api ${ADOPT_USAGE}`);
  const onConflict = onConflictOf(values['on-conflict']);
  const { out, module: reference, report, work, overwrite, 'dry-run': dryRun, 'no-files': noFiles } = values;
  const key = await keyFor(location, values.key, surroundings);
  const { token = env['STRAPI_TOKEN'], project } = values;
  const source = await openSource(location, { key, token, project, work, say });
  const plan = planOf(source);
  const reported = { plan, source, report };
  const task = { source, plan, work, say };
  if (reference === undefined) {
    say(await reportText(reported, await rehearse(task)));
    if (dryRun) return 'Nothing else was written';
    const { written, same, kept } = await writeDefinitions(plan.files, { out, overwrite });
    for (const file of kept) say(`Kept, because it was changed: ${file}`);
    const others = `${same.length} unchanged, ${kept.length} kept`;
    const done = `Definitions: ${written.length} files written to ${out}, ${others}`;
    return `${done}\n${nextSteps(out, source)}`;
  }
  if (source.content === null)
    throw new UsageError(`${location} has no content: export it with "strapi export", and adopt the archive`);
  const { documents, summary } = await moveContent({
    ...task,
    ...{ reference, dryRun, noFiles, onConflict },
    report: async (rehearsal) => say(await reportText(reported, rehearsal)),
  });
  return dryRun ? 'Nothing else was written' : `${summary}\nDocuments: ${counted(documents)}`;
}
