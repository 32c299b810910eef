/** Values as editors read them in lists, filters and the history. */
import type { Attribute } from '../../../desk/src/model/model.ts';

// Its types would add those of a browser to the server.
const MODULE = '../../../desk/src/model/value-text.ts';
const { valueText } = await import(MODULE);

const attribute = (type: string, more: Partial<Attribute> = {}): Attribute => ({
  name: 'value',
  label: 'Value',
  type,
  required: false,
  localized: false,
  actions: ['find'],
  ...more,
});
const formats = {
  date: (at: Date): string => `day ${at.getDate()}`,
  dateTime: (at: Date): string => `minute of ${at.toISOString()}`,
  exactTime: (at: Date): string => `second of ${at.toISOString()}`,
};

describe('valueText()', () => {
  it.each([
    ['date', '2026-01-31', 'day 31'],
    ['datetime', '2026-01-31T12:00:00.000Z', 'minute of 2026-01-31T12:00:00.000Z'],
    ['timestamp', '1769860800000', 'minute of 2026-01-31T12:00:00.000Z'],
    ['timestamp', '1769860801000', 'second of 2026-01-31T12:00:01.000Z'],
    ['timestamp', '-1000', 'second of 1969-12-31T23:59:59.000Z'],
    ['timestamp', 'never', 'never'],
    ['biginteger', '1769860800000', '1769860800000'],
  ])('shows a value of %s: %s', (type, value, text) => {
    expect(valueText(value, attribute(type), formats)).toBe(text);
  });

  it('shows the name of a choice', () => {
    const choice = attribute('enumeration', { enum: ['news'], values: { news: 'News' } });
    expect(valueText('news', choice, formats)).toBe('News');
  });
});
