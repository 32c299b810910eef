/** Account of the editor: change of the password, and the sessions. */
import { Badge, Button, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { session } from '../../api/session.ts';
import { useChanges } from '../../parts/changes.ts';
import { Frame } from '../../parts/frame.tsx';
import { useFormats, useTexts } from '../../texts/texts.ts';
import { endOwnSession, type OwnSession, useOwnSessions } from './requests.ts';

export function AccountScreen() {
  const texts = useTexts();
  const { data, error, isFetching, refetch } = useOwnSessions();
  return (
    <Frame title={texts.persons.account} isLoading={isFetching} error={error} retry={() => void refetch()}>
      <Text c="dimmed">{session.user?.email}</Text>
      <PasswordForm />
      {data !== undefined && <Sessions sessions={data} />}
    </Frame>
  );
}

const EMPTY = { currentPassword: '', password: '', passwordConfirmation: '' };

function PasswordForm() {
  const texts = useTexts();
  const [values, setValues] = useState(EMPTY);
  const [isDone, setDone] = useState(false);
  const { isSending, alert, send } = useChanges();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setDone(false);
    if (!(await send(() => session.changePassword(values)))) return;
    setValues(EMPTY);
    setDone(true);
  };
  const field = (name: keyof typeof EMPTY, label: string, autoComplete: string) => (
    <PasswordInput
      label={label}
      autoComplete={autoComplete}
      required
      withAsterisk={false}
      value={values[name]}
      onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
    />
  );
  return (
    <Paper withBorder p="md" maw={480}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <Title order={2} size="h4">
            {texts.persons.changePassword}
          </Title>
          {alert}
          <Text size="sm" role="status">
            {isDone ? texts.persons.passwordChanged : ''}
          </Text>
          {field('currentPassword', texts.persons.currentPassword, 'current-password')}
          {field('password', texts.newPassword, 'new-password')}
          {field('passwordConfirmation', texts.persons.repeatPassword, 'new-password')}
          <Group>
            <Button type="submit" loading={isSending}>
              {texts.persons.changePassword}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

function Sessions({ sessions }: { readonly sessions: readonly OwnSession[] }) {
  const texts = useTexts();
  const { dateTime } = useFormats();
  const { isSending, alert, send } = useChanges();
  const others = sessions.filter(({ current }) => !current);
  const end = (ended: readonly OwnSession[]): Promise<boolean> =>
    send(async () => {
      for (const { id } of ended) await endOwnSession(id);
    });
  return (
    <Paper withBorder p="md" maw={720}>
      <Stack>
        <Title order={2} size="h4">
          {texts.persons.sessions}
        </Title>
        {alert}
        {sessions.map((one) => {
          const since = dateTime(new Date(one.createdAt));
          return (
            <Group key={one.id} justify="space-between" gap="xs">
              <Stack gap={0}>
                <Group gap="xs">
                  <Text fw={500}>
                    {one.usedAt === null ? texts.persons.apiSession : texts.persons.deskSession}
                  </Text>
                  {one.current && (
                    <Badge variant="outline" tt="none">
                      {texts.persons.thisSession}
                    </Badge>
                  )}
                </Group>
                <Text size="sm" c="dimmed">
                  {texts.persons.since(since)}
                  {one.usedAt !== null && ` · ${texts.persons.usedAt(dateTime(new Date(one.usedAt)))}`}
                </Text>
              </Stack>
              {!one.current && (
                <Button
                  size="xs"
                  variant="default"
                  disabled={isSending}
                  aria-label={texts.persons.endSessionSince(since)}
                  onClick={() => void end([one])}
                >
                  {texts.persons.endSession}
                </Button>
              )}
            </Group>
          );
        })}
        {others.length > 1 && (
          <Group>
            <Button variant="default" loading={isSending} onClick={() => void end(others)}>
              {texts.persons.endOthers}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}
