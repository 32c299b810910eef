/** API tokens: create, give a new secret, delete. A secret is shown once. */
import { ActionIcon, Badge, Button, Group, Menu, Select, Table, Text, TextInput } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useChanges } from '../../parts/changes.ts';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { type Question, QuestionDialog, type Secret, SecretDialog } from '../../parts/form-dialog.tsx';
import { Frame } from '../../parts/frame.tsx';
import { Unsaved, useChanged } from '../../parts/unsaved.tsx';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { GrantChoices } from './grant-tables.tsx';
import { VERBS } from './grants.ts';
import { createToken, deleteToken, rotateToken, type Token, useTokens } from './requests.ts';

const KINDS = ['read-only', 'full-access', 'custom'] as const;
const DAYS = [7, 30, 90, 365];
const NEVER = 'never';

export function TokensScreen() {
  const texts = useTexts();
  const { people } = useModel();
  const { data, error, isFetching, refetch } = useTokens();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<Secret | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  // The dialog that made the secret closes itself: the editor may have opened another one since.
  const show = (name: string, text: string): void =>
    setSecret({
      title: texts.persons.secretOf(name),
      label: texts.persons.secret,
      hint: texts.persons.secretHint,
      text,
    });
  const create = people.tokens.includes('create') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {texts.persons.createToken}
    </Button>
  );
  return (
    <Frame
      title={texts.persons.tokens}
      isLoading={isFetching}
      error={error}
      retry={() => void refetch()}
      tools={data?.length !== 0 && create}
    >
      {data?.length === 0 && (
        <EmptyList text={texts.persons.noTokens} hint={texts.persons.noTokensHint}>
          {create}
        </EmptyList>
      )}
      {data !== undefined && data.length > 0 && <TokenTable tokens={data} {...{ show, setQuestion }} />}
      {isCreating && <CreateDialog close={() => setCreating(false)} show={show} />}
      {question !== null && <QuestionDialog question={question} close={() => setQuestion(null)} />}
      {secret !== null && <SecretDialog secret={secret} close={() => setSecret(null)} />}
    </Frame>
  );
}

interface TableProps {
  readonly tokens: readonly Token[];
  readonly show: (name: string, text: string) => void;
  readonly setQuestion: (question: Question) => void;
}

function TokenTable({ tokens, show, setQuestion }: TableProps) {
  const texts = useTexts();
  const { dateTime } = useFormats();
  const { tokens: verbs } = useModel().people;
  const time = (at: string | null): string => (at === null ? texts.persons.never : dateTime(new Date(at)));
  return (
    <Table verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.persons.name}</Table.Th>
          <Table.Th>{texts.persons.kind}</Table.Th>
          <Table.Th className="desk-wide">{texts.persons.expiry}</Table.Th>
          <Table.Th className="desk-wide">{texts.persons.lastUsed}</Table.Th>
          <Table.Th w={56} aria-label={texts.moreActions} />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tokens.map(({ documentId, name, description, kind, expiresAt, lastUsedAt }) => (
          <Table.Tr key={documentId}>
            <Table.Td className="desk-title">
              <Group gap="xs">
                <Text fw={500}>{name}</Text>
                {expiresAt !== null && new Date(expiresAt) <= new Date() && (
                  <Badge
                    variant="light"
                    color="orange"
                    tt="none"
                    className="desk-status desk-status-modified"
                  >
                    {texts.persons.expired}
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                {description}
              </Text>
            </Table.Td>
            <Table.Td>{texts.persons.kinds[kind]}</Table.Td>
            <Table.Td className="desk-wide">{time(expiresAt)}</Table.Td>
            <Table.Td className="desk-wide">{time(lastUsedAt)}</Table.Td>
            <Table.Td>
              {(verbs.includes('update') || verbs.includes('delete')) && (
                <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
                  <Menu.Target>
                    <ActionIcon variant="subtle" aria-label={texts.persons.actionsOn(name)}>
                      <IconDots size={18} />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    {verbs.includes('update') && (
                      <Menu.Item
                        onClick={() =>
                          setQuestion({
                            title: texts.persons.confirmSecret(name),
                            hint: texts.persons.confirmSecretHint,
                            label: texts.persons.newSecret,
                            done: texts.persons.secretMade,
                            work: async () => show(name, await rotateToken(documentId)),
                          })
                        }
                      >
                        {texts.persons.newSecret}
                      </Menu.Item>
                    )}
                    {verbs.includes('delete') && (
                      <Menu.Item
                        c="red"
                        onClick={() =>
                          setQuestion({
                            title: texts.confirmDelete(name),
                            hint: texts.persons.deleteTokenHint,
                            label: texts.delete,
                            done: texts.deletedNow,
                            work: () => deleteToken(documentId),
                          })
                        }
                      >
                        {texts.delete}
                      </Menu.Item>
                    )}
                  </Menu.Dropdown>
                </Menu>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Chosen verbs by type. */
type Chosen = Readonly<Record<string, readonly string[]>>;

const TYPE_VERBS = VERBS.filter((verb) => verb !== 'open');

function CreateDialog({ close, show }: { readonly close: () => void; readonly show: TableProps['show'] }) {
  const texts = useTexts();
  const model = useModel();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<(typeof KINDS)[number]>('read-only');
  const [days, setDays] = useState('90');
  const [chosen, setChosen] = useState<Chosen>({});
  const isChanged = useChanged([name, kind, days, chosen]);
  const { isSending, alert, send, isShown } = useChanges();
  const toggle = (type: string, verb: string): void => {
    const verbs = chosen[type] ?? [];
    const next = verbs.includes(verb) ? verbs.filter((one) => one !== verb) : [...verbs, verb];
    setChosen({ ...chosen, [type]: next });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const grants = Object.fromEntries(Object.entries(chosen).filter(([, verbs]) => verbs.length > 0));
    const data = {
      name,
      kind,
      ...(days === NEVER ? {} : { days: Number(days) }),
      ...(kind === 'custom' ? { grants } : {}),
    };
    void send(async () => show(name, await createToken(data))).then(
      (isDone) => isDone && isShown.current && close(),
    );
  };
  return (
    <Dialog title={texts.persons.createToken} close={close} size={kind === 'custom' ? 'xl' : 'md'}>
      <Unsaved isChanged={isChanged} />
      <form onSubmit={submit}>
        {alert}
        <TextInput
          label={texts.persons.name}
          required
          withAsterisk={false}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          mb="md"
        />
        <Select
          label={texts.persons.kind}
          data={KINDS.map((one) => ({ value: one, label: texts.persons.kinds[one] }))}
          value={kind}
          allowDeselect={false}
          onChange={(value) => setKind(KINDS.find((one) => one === value) ?? 'read-only')}
          mb="md"
        />
        <Select
          label={texts.persons.expiry}
          data={[
            ...DAYS.map((count) => ({ value: String(count), label: texts.persons.inDays(count) })),
            { value: NEVER, label: texts.persons.never },
          ]}
          value={days}
          allowDeselect={false}
          onChange={(value) => setDays(value ?? NEVER)}
          mb="md"
        />
        {kind === 'custom' && (
          <GrantChoices
            rows={model.types
              .filter(({ route }) => route !== null)
              .map((type) => ({
                key: type.name,
                name: type.name,
                choices: TYPE_VERBS.filter((verb) => verb in type.verbs).map((verb) => ({
                  verb,
                  isOn: chosen[type.name]?.includes(verb) === true,
                  toggle: () => toggle(type.name, verb),
                })),
              }))}
          />
        )}
        <DialogButtons {...{ close, isSending }} label={texts.create} />
      </form>
    </Dialog>
  );
}
