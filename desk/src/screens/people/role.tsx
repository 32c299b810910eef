/** One role with its grants: to change if it is in the database, to read if it is in the code. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChanges } from '../../parts/changes.ts';
import { Failure } from '../../parts/failure.tsx';
import { type Question, QuestionDialog } from '../../parts/form-dialog.tsx';
import { Frame } from '../../parts/frame.tsx';
import { say } from '../../parts/messages.tsx';
import { useShown } from '../../parts/shown.ts';
import { SteadyButton } from '../../parts/steady-button.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { GrantChoices, GrantTable } from './grant-tables.tsx';
import { branchesOf, type Leaf, rowsOf, switched, withLeaves } from './grants.ts';
import { changeRole, deleteRole, type FullRole, useRoles, useTree } from './requests.ts';

export function RoleScreen({ documentId }: { readonly documentId: string }) {
  const texts = useTexts();
  const { data, error, isFetching, refetch } = useRoles();
  const role = data?.find((one) => one.documentId === documentId);
  const isMissing = data !== undefined && role === undefined;
  return (
    <Frame
      title={role?.name ?? (isMissing ? texts.notFound : texts.persons.role)}
      way={[{ href: '/people/roles', label: texts.persons.roles }]}
      isLoading={isFetching}
      error={error}
      retry={() => void refetch()}
    >
      {role !== undefined && <Grants role={role} />}
    </Frame>
  );
}

function Grants({ role }: { readonly role: FullRole }) {
  const texts = useTexts();
  const { people } = useModel();
  const [, navigate] = useLocation();
  const [question, setQuestion] = useState<Question | null>(null);
  const isShown = useShown();
  const isInCode = Object.keys(role.inCode).length > 0;
  const isEditable = role.editable && people.roles.includes('update');
  const remove = async (): Promise<void> => {
    await deleteRole(role.documentId);
    if (isShown.current) navigate('/people/roles', { replace: true });
  };
  return (
    <>
      {role.description !== null && <Text c="dimmed">{role.description}</Text>}
      {isInCode && <Alert title={texts.persons.inCode}>{texts.persons.codeHint}</Alert>}
      {!isInCode && !role.editable && <Alert>{texts.persons.mixedHint}</Alert>}
      {isEditable ? <EditableGrants role={role} /> : <GrantTable rows={rowsOf(role.inCode, role.stored)} />}
      {people.roles.includes('delete') && !isInCode && role.type !== 'public' && (
        <Group>
          <Button
            variant="default"
            c="red"
            onClick={() =>
              setQuestion({
                title: texts.confirmDelete(role.name),
                hint: texts.persons.deleteRoleHint,
                label: texts.delete,
                done: texts.deletedNow,
                work: remove,
              })
            }
          >
            {texts.delete}
          </Button>
        </Group>
      )}
      {question !== null && <QuestionDialog question={question} close={() => setQuestion(null)} />}
    </>
  );
}

function EditableGrants({ role }: { readonly role: FullRole }) {
  const texts = useTexts();
  const model = useModel();
  const { data, error, refetch } = useTree(role.documentId, true);
  const [leaves, setLeaves] = useState<readonly Leaf[]>([]);
  const { isSending, alert, send } = useChanges();
  if (data === undefined)
    return error === null ? null : <Failure error={error} retry={() => void refetch()} />;
  const isChanged = leaves.length > 0;
  const isStaged = (name: string): boolean => (model.type(name)?.stages ?? null) !== null;
  const rows = branchesOf(withLeaves(data, leaves), isStaged).map((branch) => ({
    key: branch.key,
    name: branch.name,
    choices: branch.leaves.map((leaf) => ({
      verb: leaf.verb,
      isOn: leaf.enabled,
      toggle: () => setLeaves(switched(leaves, leaf)),
    })),
  }));
  const save = async (): Promise<void> => {
    const isDone = await send(async () => {
      // Another editor may have changed other grants of the role since they were read.
      const { data: now = data } = await refetch({ throwOnError: true });
      await changeRole(role.documentId, { permissions: withLeaves(now, leaves) });
      await refetch();
    });
    if (!isDone) return;
    setLeaves([]);
    say(texts.persons.saved);
  };
  return (
    <>
      <Unsaved isChanged={isChanged} />
      {alert}
      <GrantChoices rows={rows} disabled={isSending} />
      <Group>
        <SteadyButton isUnavailable={!isChanged || isSending} act={() => void save()}>
          {texts.save}
        </SteadyButton>
        <SteadyButton variant="default" isUnavailable={!isChanged || isSending} act={() => setLeaves([])}>
          {texts.revert}
        </SteadyButton>
      </Group>
    </>
  );
}
