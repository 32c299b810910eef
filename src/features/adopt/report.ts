/** Report of a move: what is moved, what is changed on purpose, and what has no counterpart. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FormerNames } from './former-names.js';
import type { Fate, Remark } from './remark.js';

interface Report {
  readonly source: string;
  /** Version of Strapi; empty if the source does not name it. */
  readonly strapi: string;
  readonly moved: readonly Remark[];
  readonly changed: readonly Remark[];
  readonly none: readonly Remark[];
  /** Documents by type. */
  readonly documents: Readonly<Record<string, number>>;
  /** Rows in the source by type. */
  readonly rows: Readonly<Record<string, number>>;
  /** Changed names, for `adopt --compare`. */
  readonly names: FormerNames;
}

export interface ReportInput {
  readonly source: string;
  readonly strapi: string;
  readonly remarks: readonly Remark[];
  readonly documents?: Readonly<Record<string, number>>;
  readonly rows?: ReadonlyMap<string, number>;
  readonly names: FormerNames;
}

/** Changes that every move has, with the rules of the protocol that decide them. */
const STANDARD_REMARKS: readonly Remark[] = [
  {
    list: 'changed',
    subject: 'links',
    rule: 'D20',
    text: 'Links belong to documents, not to rows: publishing copies them from the draft',
  },
  {
    list: 'none',
    subject: 'createdBy, updatedBy',
    text: 'Administrators are not in exports: documents of types with authors have none',
  },
  {
    list: 'none',
    subject: 'API tokens, administrators, webhooks',
    text: 'They are not in exports: create API tokens, editors and webhooks again',
  },
];

function reportOf(input: ReportInput): Report {
  const { source, strapi, remarks, documents = {}, rows = new Map<string, number>(), names } = input;
  const all = [...remarks, ...STANDARD_REMARKS];
  const listed = (list: Fate): readonly Remark[] => all.filter((remark) => remark.list === list);
  return {
    source,
    strapi,
    moved: listed('moved'),
    changed: listed('changed'),
    none: listed('none'),
    documents,
    rows: Object.fromEntries(rows),
    names,
  };
}

/** Rows that a line of the Markdown names; the JSON names all. */
const MAX_SHOWN = 10;

const cell = (text: string): string => text.replace(/\|/g, '\\|').replace(/\s+/g, ' ');

function lineOf({ subject, key, text, rule, rows = [], count = 0, file }: Remark): string {
  const where = key === undefined ? subject : `${subject} ${key}`;
  const more = count > MAX_SHOWN ? `, and ${count - MAX_SHOWN} more` : '';
  const named = count === 0 ? '' : `${count}: ${rows.slice(0, MAX_SHOWN).join(', ')}${more}`;
  const said = rule === undefined ? text : `${text} (${rule})`;
  return `| ${cell(where)} | ${cell(said)} | ${cell(named === '' ? (file ?? '') : named)} |`;
}

const HEADINGS: readonly (readonly [Fate, string])[] = [
  ['none', 'No counterpart'],
  ['changed', 'Changed on purpose'],
  ['moved', 'Moved'],
];

function tableOf(title: string, remarks: readonly Remark[]): string {
  const rows =
    remarks.length === 0
      ? ['Nothing.']
      : ['| part | what | rows or file |', '|---|---|---|', ...remarks.map(lineOf)];
  return `## ${title}\n\n${rows.join('\n')}\n`;
}

/** Returns the report as Markdown. */
function markdownOf(report: Report): string {
  const documents = Object.entries(report.documents).map(([type, count]) => `| ${type} | ${count} |`);
  const counts =
    documents.length === 0
      ? ''
      : `## Documents\n\n| type | documents |\n|---|---|\n${documents.join('\n')}\n\n`;
  const tables = HEADINGS.map(([list, title]) => tableOf(title, report[list])).join('\n');
  const version = report.strapi === '' ? '' : ` (Strapi ${report.strapi})`;
  return `# Move of ${report.source}${version}\n\n${counts}${tables}`;
}

/** Writes the report as `<path>.md` and `<path>.json`. Returns the number of remarks by list. */
export async function writeReport(
  path: string,
  reported: ReportInput,
): Promise<Readonly<Record<Fate, number>>> {
  const report = reportOf(reported);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.md`, markdownOf(report));
  await writeFile(`${path}.json`, `${JSON.stringify(report, null, 1)}\n`);
  const { moved, changed, none } = report;
  return { moved: moved.length, changed: changed.length, none: none.length };
}
