/** Messages of the server, as editors read them. */
import { de } from '../../../desk/src/texts/de.ts';
import { en } from '../../../desk/src/texts/en.ts';
import { reasonText } from '../../../desk/src/texts/reasons.ts';

describe('reasonText()', () => {
  it.each([
    ['title must be a `string` type, but the final value was: `null`.', 'Required to publish'],
    ['seo.title must be defined.', 'Required to publish'],
    ['password must be at least 6 characters', 'At least 6 characters'],
    ['title must be at most 80 characters', 'At most 80 characters'],
    ['rating must be less than or equal to 10', 'At most 10'],
    ['This attribute must be unique', 'Another document has this value already.'],
    ['Invalid identifier or password', 'The e-mail, the user name or the password is wrong.'],
    ['The server cannot be reached', 'The server cannot be reached.'],
    ['A hook has refused this', 'A hook has refused this'],
  ])('%s', (message, text) => {
    expect(reasonText(message, en)).toBe(text);
  });

  it('is in the language of the desk', () => {
    expect(reasonText('Too many requests, please try again later.', de)).toBe(de.reasons.often);
  });
});
