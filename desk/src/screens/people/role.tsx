/** One role with its grants: to change if it is in the database, to read if it is in the code. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChanges } from '../../parts/changes.ts';
import { type Question, QuestionDialog } from '../../parts/form-dialog.tsx';
import { Frame } from '../../parts/frame.tsx';
import { say } from '../../parts/messages.tsx';
import { SteadyButton } from '../../parts/steady-button.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { GrantChoices, GrantTable } from './grant-tables.tsx';
import { branchesOf, rowsOf, switched, type Tree } from './grants.ts';
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
  const isInCode = Object.keys(role.inCode).length > 0;
  const isEditable = role.editable && people.roles.includes('update');
  const remove = async (): Promise<void> => {
    await deleteRole(role.documentId);
    navigate('/people/roles', { replace: true });
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
  const { data } = useTree(role.documentId, true);
  const [changed, setChanged] = useState<Tree | null>(null);
  const [saved, setSaved] = useState<Tree | null>(null);
  const { isSending, alert, send } = useChanges();
  const tree = changed ?? data;
  if (tree === undefined) return null;
  const isChanged = changed !== null && JSON.stringify(changed) !== JSON.stringify(saved ?? data);
  const isStaged = (name: string): boolean => (model.type(name)?.stages ?? null) !== null;
  const rows = branchesOf(tree, isStaged).map(({ key, name, leaves }) => ({
    key,
    name,
    choices: leaves.map((leaf) => ({
      verb: leaf.verb,
      isOn: leaf.enabled,
      toggle: () => setChanged(switched(tree, leaf)),
    })),
  }));
  const save = async (): Promise<void> => {
    if (!(await send(() => changeRole(role.documentId, { permissions: tree })))) return;
    setSaved(tree);
    say(texts.persons.saved);
  };
  return (
    <>
      <Unsaved isChanged={isChanged} />
      {alert}
      <GrantChoices rows={rows} />
      <Group>
        <SteadyButton isUnavailable={!isChanged || isSending} act={() => void save()}>
          {texts.save}
        </SteadyButton>
        <SteadyButton variant="default" isUnavailable={!isChanged || isSending} act={() => setChanged(saved)}>
          {texts.revert}
        </SteadyButton>
      </Group>
    </>
  );
}
