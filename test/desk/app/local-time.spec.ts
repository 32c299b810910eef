/** Times in inputs of the browser, in zones that have an hour twice, or leave one out. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const MODULE = join(import.meta.dirname, '../../../desk/src/model/local-time.ts');
const MINUTE = 60_000;

/** Runs an expression in a process of another zone. */
const inZone = (zone: string, expression: string): unknown =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        '--no-warnings',
        '--input-type=module',
        '--eval',
        `const { inputOf, startOfDay, timeOf } = await import('${MODULE}');
        const near = (time) => Array.from({ length: 400 }, (_, i) =>
          new Date(Date.parse(time) + (i - 200) * 15 * ${MINUTE}).toISOString());
        console.log(JSON.stringify(${expression}))`,
      ],
      { env: { ...process.env, TZ: zone }, encoding: 'utf8' },
    ),
  );

/** Zones with the instants at which their clocks change. */
const CHANGES = [
  ['Europe/Berlin', '2026-10-25T01:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['America/New_York', '2026-11-01T06:00:00.000Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00.000Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ['Asia/Kathmandu', '2026-10-25T01:00:00.000Z'],
] as const;

describe('times in inputs', () => {
  it.each(CHANGES)('stay the same if nothing changes: %s around %s', (zone, change) => {
    const moved = `near('${change}').filter((time) => timeOf(inputOf(time), time) !== time)`;
    expect(inZone(zone, moved)).toEqual([]);
  });

  it.each([
    ['Europe/Berlin', '2026-10-25T02:45', '2026-10-25T01:30:00.000Z', '2026-10-25T01:45:00.000Z'],
    ['Europe/Berlin', '2026-10-25T02:45', '2026-10-25T00:30:00.000Z', '2026-10-25T00:45:00.000Z'],
    ['Europe/Berlin', '2026-10-25T02:45', null, '2026-10-25T00:45:00.000Z'],
    ['Europe/Berlin', '2026-10-25T01:45', '2026-10-25T01:30:00.000Z', '2026-10-24T23:45:00.000Z'],
    ['Europe/Berlin', '2026-07-01T12:00', '2026-12-01T12:00:00.000Z', '2026-07-01T10:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T00:30:00.000Z', '2026-03-29T01:30:00.000Z'],
    ['America/New_York', '2026-11-01T01:45', '2026-11-01T06:30:00.000Z', '2026-11-01T06:45:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T15:05:00.000Z', '2026-04-04T15:15:00.000Z'],
    ['Asia/Kathmandu', '2026-10-25T07:20', '2026-10-25T01:30:00.000Z', '2026-10-25T01:35:00.000Z'],
  ])('keep the offset of the time before: %s, %s after %s', (zone, input, before, wanted) => {
    expect(inZone(zone, `timeOf('${input}', ${JSON.stringify(before)})`)).toBe(wanted);
  });

  it.each([
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
    ['America/Santiago', '2026-04-04', '2026-04-04T03:00:00.000Z', '2026-04-05T04:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ])('make whole days, also if the clocks change at midnight: %s, %s', (zone, day, start, end) => {
    expect(inZone(zone, `[startOfDay('${day}'), startOfDay('${day}', 1)]`)).toEqual([start, end]);
  });

  it('show the milliseconds of a timestamp, and keep its offset', () => {
    const stored = String(Date.parse('2026-10-25T01:30:00.000Z'));
    expect(
      inZone('Europe/Berlin', `[inputOf('${stored}', 'seconds'), timeOf('2026-10-25T02:45', '${stored}')]`),
    ).toEqual(['2026-10-25T02:30:00', '2026-10-25T01:45:00.000Z']);
    expect(inZone('UTC', `inputOf('-1000', 'seconds')`)).toBe('1969-12-31T23:59:59');
  });

  it('are empty without a time', () => {
    expect(
      inZone('UTC', `[inputOf(null), inputOf('never'), timeOf('', '2026-01-01T00:00:00.000Z')]`),
    ).toEqual(['', '', null]);
  });
});
