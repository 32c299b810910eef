/** Tables of the desk that repeat tables of the server, and names of the values of enumerations. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { actionsOn, EVERY, OTHER_SUBJECTS } from '../../../src/content/access/actions.ts';
import { EVENT_NAMES } from '../../../src/features/events/logged-event.ts';
import { ACCOUNT_ACTIONS, CONTENT_ACTIONS } from '../../../desk/src/model/audit-list.ts';
import { choicesOf, valueLabel } from '../../../desk/src/model/model.ts';
import { verbsOf } from '../../../desk/src/screens/people/grants.ts';
import { de } from '../../../desk/src/texts/de.ts';
import { en } from '../../../desk/src/texts/en.ts';

const SOURCE = join(import.meta.dirname, '../../../src');

describe('the desk knows', () => {
  it.each([...OTHER_SUBJECTS, EVERY, 'article'])('all actions of grants on %s', (subject) => {
    expect(verbsOf(subject)).toEqual(actionsOn(subject));
  });

  it.each([
    ['English', en],
    ['German', de],
  ])('all events of webhooks by a name in %s', (_language, { webhooks }) => {
    expect(Object.keys(webhooks.names).sort()).toEqual([...EVENT_NAMES].sort());
  });

  it('all actions of handlers that the audit log records', () => {
    const files = globSync('features/**/*.controller.ts', { cwd: SOURCE });
    const found = files.flatMap((file) => [
      ...readFileSync(join(SOURCE, file), 'utf8').matchAll(/@Audited\(\{ action: '([^']+)'(, type)?/g),
    ]);
    const actionsOf = (isTyped: boolean): string[] => [
      ...new Set(
        found.filter(([, , type]) => (type !== undefined) === isTyped).map(([, action = '']) => action),
      ),
    ];
    expect(actionsOf(false).sort()).toEqual([...ACCOUNT_ACTIONS].sort());
    expect(actionsOf(true)).toContain('publish');
    expect(CONTENT_ACTIONS).toEqual(expect.arrayContaining(actionsOf(true)));
  });
});

describe('values of an enumeration', () => {
  const attribute = {
    name: 'state',
    type: 'enumeration',
    label: 'State',
    required: false,
    localized: false,
    actions: [],
    enum: ['in_review', 'constructor'],
    values: { in_review: 'In review' },
  };

  it('have the names of the host, else none but themselves', () => {
    expect(valueLabel(attribute, 'in_review')).toBe('In review');
    expect(choicesOf(attribute)).toEqual([
      { value: 'in_review', label: 'In review' },
      { value: 'constructor', label: 'constructor' },
    ]);
  });
});
