/** Entry as a sentence, with a link to what it is about. */
import { Anchor, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { session } from '../../api/session.ts';
import type { AuditAction, AuditEntry } from '../../model/audit-list.ts';
import type { Model } from '../../model/model.ts';
import { pageQuery } from '../../model/page-query.ts';
import { type Texts, useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import type { About, Named } from './requests.ts';

const SHORT_ID = 8;

const short = (id: string): string => id.slice(0, SHORT_ID);

/** Name of a caller, as the subject of a sentence. */
export function callerText({ kind, id }: AuditEntry['by'], { users, titleOf }: Named, texts: Texts): string {
  const { audit } = texts;
  if (kind === 'user' && id !== null) {
    const isOwn = id === session.user?.documentId;
    const name = (isOwn ? session.user?.username : users[id]) ?? audit.user(short(id));
    return isOwn ? audit.you(name) : name;
  }
  const name = kind === 'token' ? titleOf({ type: 'api-token', documentId: id, locale: null }) : null;
  if (typeof name === 'string') return audit.token(name);
  return audit.kinds[kind === 'token' || kind === 'public' ? kind : 'system'];
}

export function typeText(name: string, model: Model, { persons: { subjects }, audit }: Texts): string {
  const types = new Map<string, string>(Object.entries(audit.types));
  const known = new Map<string, string>(Object.entries(subjects));
  return types.get(name) ?? model.type(name)?.label ?? known.get(name) ?? name;
}

/** Page of a document; null if the editor has none for it. */
function hrefOf({ type: name, documentId, locale }: About, model: Model): string | null {
  const type = name === null ? null : model.type(name);
  if (name === 'role' && model.people.roles.includes('findOne')) return `/people/roles/${documentId}`;
  if (name === 'user' && model.people.users.includes('find')) return '/people/users';
  if (name === 'api-token' && model.people.tokens.includes('find')) return '/people/tokens';
  if (name === 'webhook' && model.webhooks.includes('find')) return `/webhooks/${documentId}`;
  if (name === 'releases' && model.releases) return `/releases/${documentId}`;
  if (type === null || type.route === null || !('find' in type.verbs)) return null;
  const document = type.kind === 'singleType' ? '' : `/${documentId}`;
  return `/content/${type.name}${document}${pageQuery(type, locale, model)}`;
}

/** Page of the versions of a document, at the one of an entry; null if the editor has none for it. */
export function versionsOf({ type: name, documentId, locale, at }: AuditEntry, model: Model): string | null {
  const type = name === null ? null : model.type(name);
  if (type === null || documentId === null || !('versions' in type.verbs)) return null;
  const document = type.kind === 'singleType' ? '' : `/${documentId}`;
  const query = new URLSearchParams({ at });
  if (type.localized && locale !== model.defaultLocale) query.set('locale', locale ?? '*');
  return `/history/${type.name}${document}?${query.toString()}`;
}

/** Trash with a deleted document; null if the editor has none for it. */
export function trashOf({ type: name }: AuditEntry, model: Model): string | null {
  const type = name === null ? null : model.type(name);
  return type !== null && 'trash' in type.verbs ? `/trash/${type.name}` : null;
}

interface Props {
  readonly entry: AuditEntry;
  readonly named: Named;
}

/** Document of an entry: its title, its type and its language. */
function Target({ entry, named }: Props) {
  const texts = useTexts();
  const model = useModel();
  const { localeName } = useFormats();
  const { type: name, documentId, locale } = entry;
  if (documentId === null) return null;
  const type = name === null ? null : model.type(name);
  const isSingle = type?.kind === 'singleType';
  const title = isSingle ? type.label : named.titleOf(entry);
  const isMissing = !isSingle && named.isMissing(entry);
  const isGone = isMissing && entry.action !== 'delete';
  const facts = [
    ...(name === null || isSingle ? [] : [typeText(name, model, texts)]),
    ...(type?.localized === true && model.locales.length > 1
      ? [locale === null ? texts.history.allLocales : localeName(locale)]
      : []),
    ...(isGone && name !== 'user' ? [title === null ? texts.audit.gone : texts.audit.inTrash] : []),
  ];
  const text = (title === null ? short(documentId) : title) ?? '…';
  const file = name === 'file' && typeof title === 'string' ? `/media?q=${encodeURIComponent(title)}` : null;
  const href = file ?? (isMissing ? null : hrefOf(entry, model));
  return (
    <>
      {href === null ? (
        <Text span fw={500} dir="auto">
          {text || texts.untitled}
        </Text>
      ) : (
        <Anchor component={Link} href={href} underline="always" dir="auto">
          {text || texts.untitled}
        </Anchor>
      )}
      {facts.length > 0 && (
        <Text span c="dimmed">
          {` (${facts.join(', ')})`}
        </Text>
      )}
    </>
  );
}

const isKnown = (action: string, texts: Texts): action is AuditAction => action in texts.audit.sentences;

/** Names of attributes as the form shows them. */
export function attributesText({ type: name, attributes }: AuditEntry, model: Model): string {
  const type = name === null ? null : model.type(name);
  const labels = attributes.map((one) => type?.attributes.find(({ name: its }) => its === one)?.label ?? one);
  return labels.join(', ');
}

export function EntrySentence({ entry, named }: Props) {
  const texts = useTexts();
  const model = useModel();
  const { action, status } = entry;
  const who = (
    <Text span fw={500} dir="auto">
      {callerText(entry.by, named, texts)}
    </Text>
  );
  const target = <Target {...{ entry, named }} />;
  if (!isKnown(action, texts)) return parts([who, ': ', action, ' ', target]);
  const { actions, sentences, wasRefused } = texts.audit;
  if (status !== null && status >= 400)
    return parts([who, ': ', wasRefused(actions[action], status), ' ', target]);
  return parts(sentences[action](who, target, attributesText(entry, model)));
}

const parts = (all: readonly ReactNode[]): ReactNode =>
  all.map((part, at) => <Fragment key={at}>{part}</Fragment>);
