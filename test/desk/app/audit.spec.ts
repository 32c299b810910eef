/** List of the audit log: requests of the filters, runs of saves, days, and lines of a file. */
import {
  type AuditEntry,
  auditQuery,
  csvLine,
  daysOf,
  NO_FILTERS,
  readFilters,
  runsOf,
  writeFilters,
} from '../../../desk/src/model/audit-list.ts';

let id = 1000;
const entry = (at: string, rest: Partial<AuditEntry> = {}): AuditEntry => ({
  id: String((id -= 1)),
  at: `2026-11-25T${at}.000Z`,
  action: 'update',
  status: null,
  type: 'article',
  documentId: 'a',
  locale: 'en',
  attributes: ['title'],
  by: { kind: 'user', id: 'ann' },
  requestId: null,
  address: null,
  ...rest,
});
const shown = (entries: readonly AuditEntry[]): string[] =>
  runsOf(entries).map(
    ({ action, attributes, entries: all }) => `${action} ${attributes.join()} ${all.length}`,
  );

describe('entries of the audit log', () => {
  it('join saves of one sitting, with all their attributes', () => {
    const saves = [entry('12:09:00', { attributes: ['lead'] }), entry('12:04:00'), entry('12:00:00')];
    expect(shown(saves)).toEqual(['update lead,title 3']);
  });

  it.each<readonly [string, Partial<AuditEntry>]>([
    ['another person', { by: { kind: 'user', id: 'ben' } }],
    ['another document', { documentId: 'b' }],
    ['another language', { locale: 'fr' }],
    ['another address', { address: '203.0.113.7' }],
    ['another action', { action: 'create' }],
    ['a pause of more than ten minutes', { at: '2026-11-25T11:49:00.000Z' }],
  ])('do not join with %s', (_name, other) => {
    expect(shown([entry('12:00:00'), entry('11:59:00', other)])).toHaveLength(2);
  });

  it('hide the empty save of a publication, and no other', () => {
    const publish = entry('12:00:00', { action: 'publish', attributes: [] });
    const empty = { attributes: [] };
    expect(shown([publish, entry('12:00:00', empty)])).toEqual(['publish  1']);
    expect(shown([publish, entry('12:00:00')])).toEqual(['publish  1', 'update title 1']);
    expect(shown([publish, entry('11:59:00', empty)])).toEqual(['publish  1', 'update  1']);
    expect(shown([publish, entry('12:00:00', { ...empty, documentId: 'b' })])).toHaveLength(2);
  });

  it('are grouped by day', () => {
    const before = entry('12:00:00', { at: '2026-11-23T12:00:00.000Z' });
    const runs = runsOf([entry('12:00:00'), entry('12:00:00', { documentId: 'b' }), before]);
    expect(daysOf(runs).map((day) => day.length)).toEqual([2, 1]);
  });
});

describe('filters of the audit log', () => {
  it('are one condition each, and the page begins before an entry', () => {
    const filters = {
      by: 'user ann',
      action: 'delete',
      type: 'article',
      document: 'a',
      from: '2026-11-01',
      to: '2026-11-02',
    };
    const [since, until] = [new Date(2026, 10, 1).toISOString(), new Date(2026, 10, 3).toISOString()];
    expect(auditQuery(filters, '7')).toEqual({
      filters: {
        $and: [
          { by: { kind: 'user', id: 'ann' } },
          { type: 'article' },
          { documentId: 'a' },
          { action: 'delete' },
          { at: { $gte: since } },
          { at: { $lt: until } },
          { id: { $lt: '7' } },
        ],
      },
      pagination: { pageSize: 50, withCount: false },
    });
    expect(readFilters(writeFilters(filters))).toEqual(filters);
  });

  it('send nothing without a choice, or for text that is not a day', () => {
    expect(auditQuery(NO_FILTERS, null)).not.toHaveProperty('filters');
    expect(auditQuery({ ...NO_FILTERS, from: 'soon' }, null)).not.toHaveProperty('filters');
    expect(auditQuery({ ...NO_FILTERS, by: 'token' }, null).filters).toEqual({
      $and: [{ by: { kind: 'token' } }],
    });
    expect(auditQuery({ ...NO_FILTERS, action: 'refused' }, null).filters).toEqual({
      $and: [{ status: { $gte: 400 } }],
    });
  });
});

it('lines of a file contain no formulas', () => {
  expect(csvLine(['a "quoted" name', '=1+1', null, 200])).toBe(`"a ""quoted"" name","'=1+1","","200"\r\n`);
});
