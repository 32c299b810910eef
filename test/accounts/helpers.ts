import type { ContentModuleOptions } from 'nestjs-content-api';
import { defineCollectionType, defineSingleType } from 'nestjs-content-api';
import {
  type Mail,
  type MailSender,
  type UsersOptions,
  apiTokenType,
  userTypes,
} from 'nestjs-content-api/accounts';

export const SECRET = 'a secret of the tests that is long enough';

/** Role of the specs of the command line. */
export const EDITORS = { editor: { note: '*' } } as const;

/** Stores the sent mails. */
export class Outbox implements MailSender {
  readonly mails: Mail[] = [];
  private readonly waiting: ((mail: Mail) => void)[] = [];

  async send(mail: Mail): Promise<void> {
    this.mails.push(mail);
    this.waiting.shift()?.(mail);
  }

  /** Resolves with the next mail. */
  next(): Promise<Mail> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

/** Returns the token in the link of a mail. */
export const tokenIn = ({ text }: Mail): string =>
  new URL(/https?:\S+/.exec(text)?.[0] ?? 'http://none').searchParams.values().next().value ?? '';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  owner: 'author',
  attributes: {
    title: { type: 'string', required: true },
    hidden: { type: 'string', private: true },
    secretText: { type: 'string' },
    author: { type: 'relation', relation: 'manyToOne', target: 'user' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'topic', inversedBy: 'notes' },
  },
});

const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  attributes: {
    name: { type: 'string' },
    notes: { type: 'relation', relation: 'oneToMany', target: 'note', mappedBy: 'topic' },
  },
});

const page = defineSingleType({ singularApiId: 'page', attributes: { title: { type: 'string' } } });

export const contentTypes: ContentModuleOptions['contentTypes'] = [
  note,
  topic,
  page,
  apiTokenType,
  ...userTypes({ nickname: { type: 'string' }, diary: { type: 'text', private: true } }),
];

export const usersOptions = (mail: MailSender, more: Partial<UsersOptions> = {}): UsersOptions => ({
  secret: SECRET,
  mail,
  resetPasswordUrl: 'https://front.example/reset',
  apiUrl: 'https://api.example/api/',
  confirmedUrl: 'https://front.example/welcome',
  rateLimit: false,
  ...more,
});
