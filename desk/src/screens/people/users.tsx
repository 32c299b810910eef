/** List of users: invite, give a role, block, end sessions, delete. */
import { ActionIcon, Badge, Button, Group, Menu, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDots, IconPlus, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { session } from '../../api/session.ts';
import { useChanges } from '../../parts/changes.ts';
import { EmptyList } from '../../parts/empty-list.tsx';
import { type Question, QuestionDialog, type Secret, SecretDialog } from '../../parts/form-dialog.tsx';
import { Frame } from '../../parts/frame.tsx';
import { useLastPage } from '../../parts/last-page.ts';
import { say } from '../../parts/messages.tsx';
import { PageLinks } from '../../parts/page-links.tsx';
import { directionOfSearch, useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import {
  changeUser,
  deleteUser,
  endSessionsOf,
  inviteUser,
  nameOf,
  type User,
  USERS_PER_PAGE,
  useRoleNames,
  useUsers,
} from './requests.ts';
import { InviteDialog, RoleDialog } from './user-dialogs.tsx';

/** Open dialog: a new user, the role of a user, or a question. */
type Open =
  | { readonly kind: 'invite' }
  | { readonly kind: 'role'; readonly user: User }
  | { readonly kind: 'question'; readonly question: Question };

export function UsersScreen() {
  const texts = useTexts();
  const { people } = useModel();
  const [search, setSearch] = useState('');
  const [sought] = useDebouncedValue(search.trim(), 300);
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<Open | null>(null);
  const [secret, setSecret] = useState<Secret | null>(null);
  const showsRoles = people.roles.includes('find');
  const { data, error, isFetching, isPlaceholderData, refetch } = useUsers(sought, page, {
    withRole: showsRoles,
  });
  const pages = data === undefined ? undefined : Math.ceil(data.total / USERS_PER_PAGE);
  useLastPage(page, isPlaceholderData ? undefined : pages, setPage);
  const roles = useRoleNames(showsRoles).data ?? [];
  const close = (): void => setOpen(null);
  const showLink = (name: string, link: string): void =>
    setSecret({
      title: texts.persons.linkOf(name),
      label: texts.persons.link,
      hint: texts.persons.inviteHint,
      text: link,
    });
  return (
    <Frame
      title={texts.persons.users}
      isLoading={isFetching}
      error={error}
      retry={() => void refetch()}
      tools={
        people.users.includes('create') && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setOpen({ kind: 'invite' })}>
            {texts.persons.invite}
          </Button>
        )
      }
    >
      <TextInput
        role="searchbox"
        aria-label={texts.persons.searchUsers}
        placeholder={texts.search}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={search}
        dir={directionOfSearch(search)}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setPage(1);
        }}
        maw={420}
      />
      {data?.users.length === 0 && <EmptyList text={texts.persons.noUsers} />}
      {data !== undefined && data.users.length > 0 && (
        <UserTable users={data.users} showsRoles={showsRoles} {...{ setOpen, showLink }} />
      )}
      {data !== undefined && data.total > USERS_PER_PAGE && (
        <Group justify="space-between">
          <Text size="sm" role="status">
            {texts.countOf(
              (page - 1) * USERS_PER_PAGE + 1,
              (page - 1) * USERS_PER_PAGE + data.users.length,
              data.total,
            )}
          </Text>
          <PageLinks total={pages ?? 1} page={page} open={setPage} />
        </Group>
      )}
      {open?.kind === 'invite' && <InviteDialog {...{ roles, close, showLink }} />}
      {open?.kind === 'role' && <RoleDialog user={open.user} {...{ roles, close }} />}
      {open?.kind === 'question' && <QuestionDialog question={open.question} close={close} />}
      {secret !== null && <SecretDialog secret={secret} close={() => setSecret(null)} />}
    </Frame>
  );
}

interface TableProps {
  readonly users: readonly User[];
  readonly showsRoles: boolean;
  readonly setOpen: (open: Open) => void;
  readonly showLink: (name: string, link: string) => void;
}

function UserTable({ users, showsRoles, setOpen, showLink }: TableProps) {
  const texts = useTexts();
  const sending = useChanges();
  return (
    <>
      {sending.alert}
      <Table verticalSpacing="sm" style={{ tableLayout: 'fixed' }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.persons.username}</Table.Th>
            {showsRoles && <Table.Th className="desk-wide">{texts.persons.role}</Table.Th>}
            <Table.Th className="desk-wide">{texts.persons.state}</Table.Th>
            <Table.Th w={56} aria-label={texts.moreActions} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map((user) => {
            const isOwn = user.documentId === session.user?.documentId;
            const role = user.role?.name ?? texts.persons.noRole;
            return (
              <Table.Tr key={user.documentId}>
                <Table.Td className="desk-title">
                  <Group gap="xs">
                    <Text fw={500}>{nameOf(user)}</Text>
                    {isOwn && (
                      <Badge variant="outline" tt="none">
                        {texts.persons.you}
                      </Badge>
                    )}
                  </Group>
                  <Text size="sm" c="dimmed">
                    {user.email}
                  </Text>
                  <Stack gap={4} hiddenFrom="sm" align="flex-start">
                    {showsRoles && <Text size="sm">{role}</Text>}
                    <States user={user} />
                  </Stack>
                </Table.Td>
                {showsRoles && <Table.Td className="desk-wide">{role}</Table.Td>}
                <Table.Td className="desk-wide">
                  <States user={user} />
                </Table.Td>
                <Table.Td>
                  <UserMenu {...{ user, isOwn, setOpen, showLink, send: sending.send }} />
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </>
  );
}

function States({ user: { blocked, confirmed } }: { readonly user: User }) {
  const texts = useTexts();
  if (blocked === undefined) return <>–</>;
  return (
    <Group gap={4}>
      {blocked === true && (
        <Badge variant="light" color="orange" tt="none" className="desk-status desk-status-modified">
          {texts.persons.blocked}
        </Badge>
      )}
      {blocked !== true && confirmed === false && (
        <Badge variant="light" color="gray" tt="none" className="desk-status">
          {texts.persons.unconfirmed}
        </Badge>
      )}
      {blocked !== true && confirmed !== false && (
        <Badge variant="light" color="green" tt="none" className="desk-status desk-status-published">
          {texts.persons.active}
        </Badge>
      )}
    </Group>
  );
}

interface MenuProps extends Pick<TableProps, 'setOpen' | 'showLink'> {
  readonly user: User;
  readonly isOwn: boolean;
  readonly send: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Actions on a user. Editors are not offered actions that would lock themselves out. */
function UserMenu({ user, isOwn, setOpen, showLink, send }: MenuProps) {
  const texts = useTexts();
  const { users } = useModel().people;
  const { persons } = texts;
  const { documentId } = user;
  const name = nameOf(user);
  const ask = (question: Question): void => setOpen({ kind: 'question', question });
  const questions: Readonly<Record<'block' | 'endSessions' | 'delete', Question>> = {
    block: {
      title: persons.confirmBlock(name),
      hint: persons.confirmBlockHint,
      label: persons.block,
      done: persons.isBlocked,
      work: () => changeUser(documentId, { blocked: true }),
    },
    endSessions: {
      title: persons.confirmEnd(name),
      hint: persons.confirmEndHint,
      label: persons.endSessions,
      done: persons.haveEnded,
      work: () => endSessionsOf(documentId),
    },
    delete: {
      title: texts.confirmDelete(name),
      hint: persons.deleteUserHint,
      label: texts.delete,
      done: texts.deletedNow,
      work: () => deleteUser(documentId),
    },
  };
  if (isOwn || !users.some((one) => one !== 'find' && one !== 'create')) return null;
  const unblock = async (): Promise<void> => {
    if (await send(() => changeUser(documentId, { blocked: false }))) say(persons.isUnblocked);
  };
  const invite = (): Promise<boolean> => send(async () => showLink(name, await inviteUser(documentId)));
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" aria-label={persons.actionsOn(name)}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {users.includes('changeRole') && (
          <Menu.Item onClick={() => setOpen({ kind: 'role', user })}>{persons.changeRole}</Menu.Item>
        )}
        {users.includes('invite') && user.blocked !== true && (
          <Menu.Item onClick={() => void invite()}>{persons.newLink}</Menu.Item>
        )}
        {users.includes('block') && (
          <>
            <Menu.Item onClick={() => ask(questions.endSessions)}>{persons.endSessions}</Menu.Item>
            {user.blocked === true ? (
              <Menu.Item onClick={() => void unblock()}>{persons.unblock}</Menu.Item>
            ) : (
              <Menu.Item onClick={() => ask(questions.block)}>{persons.block}</Menu.Item>
            )}
          </>
        )}
        {users.includes('delete') && (
          <Menu.Item c="red" onClick={() => ask(questions.delete)}>
            {texts.delete}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
