/** List of roles: those of the code and those of the database. */
import { Button, Table, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Frame } from '../../parts/frame.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useModel } from '../app.tsx';
import { createRole, useRoles } from './requests.ts';

export function RolesScreen() {
  const texts = useTexts();
  const { people } = useModel();
  const { data = [], error, isFetching, refetch } = useRoles();
  const [isCreating, setCreating] = useState(false);
  return (
    <Frame
      title={texts.persons.roles}
      isLoading={isFetching}
      error={error}
      retry={() => void refetch()}
      tools={
        people.roles.includes('create') && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            {texts.persons.createRole}
          </Button>
        )
      }
    >
      <Table verticalSpacing="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.persons.name}</Table.Th>
            <Table.Th className="desk-wide">{texts.persons.source}</Table.Th>
            <Table.Th>{texts.persons.users}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.map(({ documentId, name, description, users, inCode }) => (
            <Table.Tr key={documentId}>
              <Table.Td>
                <Link href={`/people/roles/${documentId}`} className="desk-row-link">
                  {name}
                </Link>
                <Text size="sm" c="dimmed">
                  {description}
                </Text>
              </Table.Td>
              <Table.Td className="desk-wide">
                {Object.keys(inCode).length > 0 ? texts.persons.inCode : texts.persons.inDatabase}
              </Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>{texts.persons.usersOf(users)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {isCreating && <CreateDialog close={() => setCreating(false)} />}
    </Frame>
  );
}

function CreateDialog({ close }: { readonly close: () => void }) {
  const texts = useTexts();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  return (
    <FormDialog
      title={texts.persons.createRole}
      label={texts.create}
      close={close}
      values={[name, description]}
      message={texts.persons.created(name)}
      submit={() => createRole({ name, description })}
    >
      <TextInput
        label={texts.persons.name}
        required
        withAsterisk={false}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={texts.persons.description}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
