/** Dialogs of the users screen: a new user with an invitation link, and the role of a user. */
import { Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { useChanges } from '../../parts/changes.ts';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Unsaved, useChanged } from '../../parts/unsaved.tsx';
import { useTexts } from '../../texts/texts.ts';
import { opensDesk } from './grants.ts';
import { changeUser, createUser, inviteUser, nameOf, type Role, type User, useRoles } from './requests.ts';

interface SelectProps {
  readonly roles: readonly Role[];
  readonly value: string | null;
  readonly setValue: (documentId: string | null) => void;
}

function RoleSelect({ roles, value, setValue }: SelectProps) {
  const texts = useTexts();
  return (
    <Select
      label={texts.persons.role}
      data={roles.map(({ documentId, name }) => ({ value: documentId, label: name }))}
      value={value}
      onChange={setValue}
      required
      withAsterisk={false}
      allowDeselect={false}
    />
  );
}

interface InviteProps {
  readonly roles: readonly Role[];
  readonly close: () => void;
  readonly showLink: (name: string, link: string) => void;
}

/** Roles that may open the desk, so that no account is created that cannot be invited. */
function useDeskRoles(roles: readonly Role[]): readonly Role[] {
  const { data = [] } = useRoles(roles.length > 0);
  const able = data.filter(({ inCode, stored }) => opensDesk(inCode, stored));
  return able.length === 0 ? roles : able;
}

export function InviteDialog({ roles, close, showLink }: InviteProps) {
  const texts = useTexts();
  const deskRoles = useDeskRoles(roles);
  const [username, setUsername] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<string | null>(null);
  const isChanged = useChanged([username, email, role]);
  const { isSending, alert, send, isShown } = useChanges();
  /** User of an attempt whose invitation failed, which is not created twice. */
  const made = useRef<User | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const isDone = await send(async () => {
      const body = { username, email, role };
      if (made.current === null) made.current = await createUser(body);
      else await changeUser(made.current.documentId, body);
      showLink(username, await inviteUser(made.current.documentId));
    });
    if (isDone && isShown.current) close();
  };
  return (
    <Dialog title={texts.persons.invite} close={close}>
      <Unsaved isChanged={isChanged} />
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          {alert}
          <TextInput
            label={texts.persons.username}
            required
            withAsterisk={false}
            autoComplete="off"
            data-autofocus
            value={username}
            onChange={(event) => setUsername(event.currentTarget.value)}
          />
          <TextInput
            label={texts.email}
            type="email"
            required
            withAsterisk={false}
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <RoleSelect roles={deskRoles} value={role} setValue={setRole} />
          <Text size="sm" c="dimmed">
            {texts.persons.inviteHint}
          </Text>
          <DialogButtons {...{ close, isSending }} label={texts.persons.makeLink} disabled={role === null} />
        </Stack>
      </form>
    </Dialog>
  );
}

interface RoleProps {
  readonly user: User;
  readonly roles: readonly Role[];
  readonly close: () => void;
}

export function RoleDialog({ user, roles, close }: RoleProps) {
  const texts = useTexts();
  // Null until the editor chooses: another editor may have given a role since.
  const [role, setRole] = useState<string | null>(null);
  return (
    <FormDialog
      title={texts.persons.changeRoleOf(nameOf(user))}
      label={texts.save}
      close={close}
      values={role}
      message={texts.persons.saved}
      submit={async () => role !== null && changeUser(user.documentId, { role })}
    >
      <RoleSelect roles={roles} value={role ?? user.role?.documentId ?? null} setValue={setRole} />
    </FormDialog>
  );
}
