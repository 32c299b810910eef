/** docs/protocol.md has every rule that code and tests cite by number, and every rule has a test. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCases } from './conformance/cases.ts';
import { RECORDED } from './conformance/rules.ts';
import { UNBUILT } from './unbuilt.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/protocol.md'), 'utf8');

const RULES = [...PAGE.matchAll(/^- \*\*(D?\d[\w.]*)\*\*/gm)].map(([, rule = '']) => rule);
const CLAUSES = [...PAGE.matchAll(/\*\*(contract "[^"]+"(?: \d+)?)\*\*/g)].map(([, clause = '']) => clause);

const FILES = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/cases|node_modules/.test(file))
    .map((file) => join(folder, file)),
);

/** Pattern of one number with its letter, and of a list of them. */
const NUMBER = String.raw`(?:D\d{1,2}|\d{1,2}\.\d{1,2}b?)\b(?!\.?\w)`;
const NUMBERS = String.raw`${NUMBER}(?:(?:, ?|–|-| | and | to )${NUMBER})*`;
/** Forms of citations: after the word, in brackets, alone in a comment, before a sentence. */
const CITED = [
  String.raw`\bprotocol (${NUMBERS})`,
  String.raw`\((?:protocol |contract "[^"]+", )?(${NUMBERS})[);,]`,
  String.raw`\n\s*\* (${NUMBERS})\)`,
  String.raw`// (${NUMBERS})\n`,
  String.raw`/\*\* (${NUMBERS})\. `,
  String.raw`['"${'`'}](?:S2: )?(${NUMBERS})(?:, S\d+)*:? (?=[\p{L}\d%])`,
  String.raw`\b(D\d{1,2})\b(?=[),;:. ])`,
].map((source) => new RegExp(source, 'gu'));

interface Citation {
  readonly file: string;
  readonly rule: string;
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Returns the rules of a list; `9.1–9.3` includes those in between. */
function rulesIn(list: string): string[] {
  const parts = list.split(/(?=[–-])|, ?| and | /);
  return parts.flatMap((part, i) => {
    const rule = part.replace(/^[–-]/, '');
    if (rule === part) return [rule];
    const [first, last] = [RULES.indexOf(parts[i - 1] ?? ''), RULES.indexOf(rule)];
    return first < 0 || last < first ? [rule] : RULES.slice(first + 1, last + 1);
  });
}

const citations: readonly Citation[] = FILES.flatMap((file) =>
  CITED.flatMap((form) =>
    [...textOf(file).matchAll(form)].flatMap(([, list = '']) =>
      rulesIn(list).map((rule) => ({ file, rule })),
    ),
  ),
);

describe('docs/protocol.md', () => {
  it('has each rule once, in order', () => {
    expect(RULES.length).toBeGreaterThan(400);
    const place = (rule: string): number => {
      const [, chapter = '', number = '', letter = ''] = /^(?:D|(\d+)\.)(\d+)(b?)$/.exec(rule) ?? [];
      return Number(chapter) * 1000 + Number(number) + (letter === '' ? 0 : 0.5);
    };
    const order = RULES.map(place);
    expect(order).not.toContain(Number.NaN);
    expect(order.every((one, i) => i === 0 || one > (order[i - 1] ?? 0))).toBe(true);
  });

  it('finds citations in all their forms', () => {
    expect(new Set(citations.map(({ file }) => file)).size).toBeGreaterThan(60);
    expect(new Set(citations.map(({ rule }) => rule)).size).toBeGreaterThan(220);
  });

  it('H1: has every rule that code and tests cite', () => {
    expect(citations.filter(({ rule }) => !RULES.includes(rule))).toEqual([]);
  });

  it('H1: has every part of the contract that code and tests cite', () => {
    const cited = FILES.flatMap((file) =>
      [...textOf(file).matchAll(/contract\s+(?:\*\s+)?("[A-Za-z][\w \n*]+"(?: \d+)?)/g)].map(
        ([, part = '']) => `contract ${part.replace(/\s+\*?\s*/g, ' ')}`,
      ),
    );
    expect(cited.length).toBeGreaterThan(5);
    const parts = new Set([...CLAUSES, ...CLAUSES.map((clause) => clause.replace(/ \d+$/, ''))]);
    expect(cited.filter((one) => !parts.has(one))).toEqual([]);
  });

  it('has a test for every rule', () => {
    const shown = new Set([
      ...Object.keys(RECORDED),
      ...citations.filter(({ file }) => file.startsWith('test')).map(({ rule }) => rule),
    ]);
    expect(RULES.filter((rule) => !shown.has(rule) && !UNBUILT.has(rule))).toEqual([]);
  });

  it('has the rules of recorded cases, and the cases exist', () => {
    expect(Object.keys(RECORDED).filter((rule) => !RULES.includes(rule))).toEqual([]);
    const files = ['reads', 'writes'].map((name) =>
      fileURLToPath(new URL(`./conformance/cases/${name}.jsonl`, import.meta.url)),
    );
    const cases = new Set(readCases(files).map(({ n }) => n));
    expect(
      Object.entries(RECORDED).filter(([, some]) => some.length === 0 || some.some((n) => !cases.has(n))),
    ).toEqual([]);
  });

  it('has every rule that is not built, and no test of them', () => {
    expect([...UNBUILT.keys()].filter((rule) => !RULES.includes(rule) || rule in RECORDED)).toEqual([]);
    const tested = citations.filter(
      ({ file, rule }) => /\.(spec|proof)\.ts$/.test(file) && UNBUILT.has(rule),
    );
    expect(tested).toEqual([]);
  });
});
