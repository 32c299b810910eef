/** Filters of the audit log: who, what, on what, and when. */
import { Badge, Button, CloseButton, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { session } from '../../api/session.ts';
import {
  ACCOUNT_ACTIONS,
  type AuditEntry,
  type AuditFilters,
  CONTENT_ACTIONS,
  NO_FILTERS,
  REFUSED,
} from '../../model/audit-list.ts';
import type { Model } from '../../model/model.ts';
import { useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { nameOf, useUsers } from '../people/requests.ts';
import type { Named } from './requests.ts';
import { callerText, typeText } from './sentence.tsx';

interface Props {
  readonly filters: AuditFilters;
  readonly change: (change: Partial<AuditFilters>) => void;
  /** Entries on the page, and the names in them. */
  readonly entries: readonly AuditEntry[];
  readonly named: Named;
}

const FURTHER_TYPES = ['user', 'role', 'api-token', 'webhook', 'releases'];

/** Title of a document in the default locale, or else in another one; null if it is not known. */
function titleIn(entries: readonly AuditEntry[], named: Named, model: Model): string | null {
  const inDefault = entries.filter(({ locale }) => locale === model.defaultLocale);
  const titles = [...inDefault, ...entries].map((entry) => named.titleOf(entry));
  return titles.find((one) => one !== null && one !== undefined && one !== '') ?? null;
}

export function AuditFilterBar(props: Props) {
  const texts = useTexts();
  const { audit } = texts;
  const model = useModel();
  const { filters, change, entries, named } = props;
  const action = (name: keyof typeof audit.actions) => ({ value: name, label: audit.actions[name] });
  const types = [...new Set([...model.types.map(({ name }) => name), ...FURTHER_TYPES])].map((value) => ({
    value,
    label: typeText(value, model, texts),
  }));
  const title = titleIn(
    entries.filter(({ documentId }) => documentId === filters.document),
    named,
    model,
  );
  return (
    <>
      <div className="desk-audit-filters">
        <People {...props} />
        <Choice
          label={audit.action}
          placeholder={audit.everything}
          value={filters.action}
          data={[
            { group: audit.groups.content, items: CONTENT_ACTIONS.map(action) },
            {
              group: audit.groups.accounts,
              items: [...ACCOUNT_ACTIONS.map(action), { value: REFUSED, label: audit.refused }],
            },
          ]}
          choose={(value) => change({ action: value })}
        />
        <Choice
          label={audit.type}
          placeholder={audit.allTypes}
          value={filters.type}
          data={types}
          choose={(type) => change({ type, document: '' })}
        />
        {(['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={audit[name]}
            value={filters[name]}
            onChange={(event) => change({ [name]: event.currentTarget.value })}
          />
        ))}
      </div>
      <Group gap="xs">
        {filters.document !== '' && (
          <Badge
            variant="light"
            size="lg"
            tt="none"
            rightSection={
              <CloseButton
                size="xs"
                aria-label={texts.removeItem(audit.thisDocument)}
                onClick={() => change({ document: '' })}
              />
            }
          >
            {title === null ? audit.thisDocument : audit.document(title)}
          </Badge>
        )}
        {Object.values(filters).some((value) => value !== '') && (
          <Button size="xs" variant="subtle" onClick={() => change(NO_FILTERS)}>
            {texts.clearSearch}
          </Button>
        )}
      </Group>
    </>
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}

interface ChoiceProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly data: (Option | { readonly group: string; readonly items: Option[] })[];
  readonly choose: (value: string) => void;
  readonly search?: (text: string) => void;
}

function Choice({ label, placeholder, value, data, choose, search = () => undefined }: ChoiceProps) {
  const texts = useTexts();
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={data}
      value={value === '' ? null : value}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': texts.removeItem(label) }}
      nothingFoundMessage={texts.noResults}
      onSearchChange={search}
      onChange={(next) => choose(next ?? '')}
    />
  );
}

/** Users that the caller may search, those of the entries, and callers without an account. */
function People({ filters: { by }, change, entries, named }: Props) {
  const texts = useTexts();
  const { audit } = texts;
  const { people } = useModel();
  const [search, setSearch] = useState('');
  const [sought] = useDebouncedValue(search.trim(), 300);
  const found = useUsers(sought, 1, { withRole: false, isAllowed: people.users.includes('find') }).data
    ?.users;
  const own = session.user;
  const seen = [
    ...entries.map((entry) => entry.by),
    ...(by.startsWith('user ') ? [{ kind: 'user', id: by.slice('user '.length) }] : []),
    ...(own === null ? [] : [{ kind: 'user', id: own.documentId }]),
  ].filter(({ kind, id }) => kind === 'user' && id !== null);
  const users = new Map([
    ...(found ?? []).map((user) => [`user ${user.documentId}`, nameOf(user)] as const),
    ...seen.map((one) => [`user ${one.id}`, callerText(one, named, texts)] as const),
  ]);
  const kinds = (['token', 'public', 'system'] as const).map((kind) => ({
    value: kind,
    label: audit.kinds[kind],
  }));
  const items = [...users].map(([value, label]) => ({ value, label }));
  return (
    <Choice
      label={audit.person}
      placeholder={audit.everyone}
      value={by}
      data={[
        { group: audit.groups.people, items: items.sort((a, b) => a.label.localeCompare(b.label)) },
        { group: audit.groups.others, items: kinds },
      ]}
      choose={(value) => change({ by: value })}
      search={setSearch}
    />
  );
}
