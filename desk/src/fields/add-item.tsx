/** Button that adds an entry to a list or a zone. */
import { Button, Menu, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTexts } from '../texts/texts.ts';
import { useForm } from './form-context.ts';

interface Props {
  readonly uids: readonly string[];
  readonly label: string;
  readonly add: (uid: string) => void;
}

export function AddItem({ uids, label, add }: Props) {
  const texts = useTexts();
  const { model } = useForm();
  if (uids.length === 1)
    return (
      <Button variant="light" leftSection={<IconPlus size={16} />} onClick={() => add(uids[0] ?? '')}>
        {texts.addItem(label)}
      </Button>
    );
  return (
    <Menu>
      <Menu.Target>
        <Button variant="light" leftSection={<IconPlus size={16} />}>
          {texts.addItem(label)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {uids.map((uid) => (
          <Menu.Item key={uid} onClick={() => add(uid)}>
            <Text size="sm">{model.componentLabel(uid)}</Text>
            {model.component(uid)?.description && (
              <Text size="xs" c="dimmed">
                {model.component(uid)?.description}
              </Text>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
