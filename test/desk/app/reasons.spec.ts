/** Messages of the server, as editors read them. */
import { ApiError } from '../../../desk/src/api/errors.ts';
import { losesDigits, problemOf } from '../../../desk/src/form/check.ts';
import { de } from '../../../desk/src/texts/de.ts';
import { en } from '../../../desk/src/texts/en.ts';
import { reasonText, refusalText } from '../../../desk/src/texts/reasons.ts';

describe('reasonText()', () => {
  it.each([
    ['title must be a `string` type, but the final value was: `null`.', 'Required'],
    ['seo.title must be defined.', 'Required'],
    ['password must be at least 6 characters', 'At least 6 characters'],
    ['title must be at most 80 characters', 'At most 80 characters'],
    ['Password must be less than 73 bytes', en.reasons.tooManyBytes(72)],
    ['days must be a `array` type, but the final value was: `{}`.', en.noList],
    ['days must be a `array` type, but the final value was: `null`.', 'Required'],
    ['rating must be less than or equal to 10', 'At most 10'],
    ['name must be a string', 'Required'],
    ['This attribute must be unique', 'This value is already taken. Choose another one.'],
    ['Username already taken', en.reasons.nameTaken],
    ['Email already taken', en.reasons.emailTaken],
    ['Your account has been blocked by an administrator', en.reasons.blocked],
    ['Your account email is not confirmed', en.reasons.unconfirmed],
    ['The token would have permissions that you do not have', en.reasons.overreach],
    ['The webhook would have permissions that you do not have', en.reasons.overreach],
    ['url must be an http(s) URL without credentials', en.reasons.webAddress],
    ['File is not a valid image', en.reasons.noPicture],
    ['Invalid identifier or password', 'The e-mail, the user name or the password is wrong.'],
    ['The server cannot be reached', 'The server cannot be reached.'],
    ['extra.code must match the following: "/^[a-z]+$/"', 'The text does not have the expected format'],
    ['rows field must have at least 2 items', 'At least 2 entries'],
    ['rows field must have less than or equal to 1 items', 'At most 1 entry'],
    ['contact cannot be empty', 'Required'],
    ['These attributes must be unique together: a, b', 'Another document already has the same values.'],
    ['1 relation(s) of type api::tag.tag associated with this entity do not exist', en.reasons.noLink],
    ['Document with id "x", locale "en" not found', en.reasons.noLink],
    ['Invalid key stage', 'You do not have the right to do this.'],
    ['request entity too large', en.reasons.tooLarge],
    ['The server responded with 413', en.reasons.tooLarge],
    ['FileTooBig', en.reasons.fileTooLarge],
    ['FormTooBig', en.reasons.fileTooLarge],
    ['Files are empty', en.reasons.fileEmpty],
    ['Files of type text/html are not allowed: "a.html"', en.reasons.fileType],
    ['The file "a.png" has conflicting types: image/png by its name', en.reasons.fileContent],
    ['The file "a.pdf" of kind files cannot replace images: an attribute', en.reasons.fileKind],
    ['The database is overloaded', en.reasons.unavailable],
    ['The server responded with 503', en.reasons.unavailable],
    ['Could not store the file', en.reasons.unavailable],
    ['Not tried: the database cannot be reached', en.reasons.unavailable],
    ['The account is blocked', en.reasons.blocked],
    ['User not found', 'It no longer exists.'],
    ['Another request has just written the same tag; try again', en.reasons.overtaken],
    ['slug, title: too long for values that must be unique', en.reasons.tooLongToCompare],
    ['The document is not valid in attributes that you cannot access', en.reasons.hidden],
    ['The published version has changed since', en.releases.undo.changed],
    ['Please specify a valid link.', en.reasons.badLink],
    ['rating must be an integer', 'Enter a whole number'],
    ['count must be a valid integer', 'Enter a whole number'],
    ['rating must be a `number` type, but the final value was: `NaN`.', 'Enter a number'],
    ['A hook has refused this', 'A hook has refused this'],
  ])('%s', (message, text) => {
    expect(reasonText(message, en)).toBe(text);
  });

  it.each([
    ['The endpoint responded with 503', 'Der Empfänger hat mit 503 geantwortet'],
    ['The endpoint cannot be reached (ECONNREFUSED)', 'Der Empfänger ist nicht erreichbar (ECONNREFUSED)'],
    ['The endpoint did not respond within 15 s', 'Der Empfänger hat nicht innerhalb von 15 s geantwortet'],
    ['10.0.0.1 is not a public address', '10.0.0.1 ist keine öffentliche Adresse'],
    ['intra.example has no public address', 'intra.example hat keine öffentliche Adresse'],
    ['The entry could not be read', 'Der Eintrag konnte nicht gelesen werden'],
    ['Role "shop" does not exist', 'Die Rolle „shop“ existiert nicht'],
    ['every attempt failed for 5 days', '5 Tage lang ist jeder Versuch gescheitert'],
  ])('says in German why a webhook was not delivered: %s', (message, text) => {
    expect(reasonText(message, de)).toBe(text);
    expect(reasonText(message, en)).toBe(message);
  });

  it('says each reason of a refusal in German, after the label of its input', () => {
    const errors = [
      { path: ['name'], message: 'name must be at most 80 characters' },
      { path: ['kind'], message: 'kind must be defined.' },
    ];
    const refused = new ApiError(400, { message: '2 errors occurred', details: { errors } });
    const labels = new Map([['name', 'Name']]);
    expect(refusalText(refused, labels, de)).toBe('Name: Höchstens 80 Zeichen; Erforderlich');
  });

  it('introduces a message that it does not know', () => {
    const unknown = new ApiError(400, { message: 'A hook has refused this' });
    expect(refusalText(unknown, new Map(), de)).toBe('Der Server meldet: A hook has refused this');
    const known = new ApiError(403, { message: 'Forbidden' });
    expect(refusalText(known, new Map(), de)).toBe(de.reasons.forbidden);
  });

  it('names the stages of a rule', () => {
    const names: Readonly<Record<string, string>> = { ready: 'Fertig' };
    const nameOf = (value: string): string => names[value] ?? value;
    const message = 'stage must be "ready" or "final" to publish';
    expect(reasonText(message, de, nameOf)).toBe(
      'Nur Entwürfe in Fertig, final können veröffentlicht werden',
    );
    const move = 'stage cannot change to this value from the current one';
    expect(reasonText(move, de)).toBe('Von der jetzigen Stufe führt kein Weg zu dieser.');
  });

  it('has a place for the only problem of a body, also if its path is a text with dots', () => {
    const { problems } = new ApiError(400, {
      message: 'Invalid key text',
      details: { path: 'quote.0.text' },
    });
    expect(problems).toEqual([{ path: ['quote', '0', 'text'], message: 'Invalid key text' }]);
    expect(new ApiError(400, { message: 'Invalid key a', details: { path: null } }).problems).toEqual([]);
  });

  it('has the same words as the check of a value while it is typed', () => {
    const contact = { name: 'contact', label: 'Contact', required: false, localized: false };
    const email = { ...contact, type: 'email', actions: ['update'] } as const;
    expect(problemOf(email, 'abc', en)).toBe(reasonText('contact must be a valid email', en));
  });

  it('counts characters as the server does: pairs of surrogates once, signs of variation not at all', () => {
    const title = { name: 'title', label: 'Title', required: false, localized: false, type: 'string' };
    const short = { ...title, actions: ['update'], minLength: 2, maxLength: 3 } as const;
    expect(problemOf(short, '👍👍👍', en)).toBeNull();
    expect(problemOf(short, '❤️❤️❤️', en)).toBeNull();
    expect(problemOf(short, '👍👍👍👍', en)).toBe(en.tooLong(3));
    expect(problemOf(short, '👍', en)).toBe(en.tooShort(2));
  });

  it.each(['0x1F', '0b1', ' ', '1_000'])('takes %j for no number', (text) => {
    const rating = { name: 'rating', label: 'Rating', required: false, localized: false };
    const float = { ...rating, type: 'float', actions: ['update'] } as const;
    expect(problemOf(float, text, en)).toBe(en.noNumber);
    expect(problemOf(float, '1,5', en)).toBe(en.noComma);
    expect(problemOf({ ...float, type: 'integer' }, '1,000', en)).toBe(en.noNumber);
    for (const right of [1e21, -0.5, '1.', '.5']) expect(problemOf(float, right, en)).toBeNull();
  });

  it.each(['integer', 'biginteger'])('asks for a whole number in place of a fraction: %s', (type) => {
    const rating = { name: 'rating', label: 'Rating', required: false, localized: false };
    const whole = { ...rating, type, actions: ['update'] } as const;
    expect(problemOf(whole, type === 'integer' ? 1.5 : '1.5', en)).toBe(en.noWhole);
    expect(problemOf(whole, 'one', en)).toBe(en.noNumber);
  });

  it.each([
    ['12345678901234567890', true],
    ['1e400', true],
    ['-1E-400', true],
    ['0.12345678901234567890', true],
    ['9007199254740993.0', true],
    ['0.30000000000000004', false],
    ['9007199254740991', false],
    ['12345678901234567000', false],
    ['-1.50e3', false],
    ['0.000', false],
    ['1e21', false],
    ['5e-324', false],
    ['"1e400"', false],
    ['1.', false],
    ['1e', false],
  ])('finds numbers of JSON that would lose digits: %s', (json, isLost) => {
    expect(losesDigits(`{"a": [${json}]}`)).toBe(isLost);
  });

  it('is in the language of the desk', () => {
    expect(reasonText('Too many requests, please try again later.', de)).toBe(de.reasons.often);
  });
});
