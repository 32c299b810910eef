/** Button in the field of a uid: makes the value from another attribute, such as the title. */
import { ActionIcon } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { messageOf, OfflineError } from '../api/errors.ts';
import { isItem } from '../form/values.ts';
import { useTexts } from '../texts/texts.ts';
import { useForm, useValue } from './form-context.ts';

interface Props {
  /** Place of the uid in the form. */
  readonly path: string;
  readonly target: string;
  readonly maxLength: number | undefined;
}

export function SlugButton({ path, target, maxLength }: Props) {
  const texts = useTexts();
  const { type, store, model } = useForm();
  const around = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const source = around === '' ? target : `${around}/${target}`;
  const [text] = useValue<unknown>(source);
  const [isLoading, setLoading] = useState(false);
  const item = around === '' ? null : store.get(around);
  const { attributes = [] } = (isItem(item) ? model.component(item.component) : type) ?? {};
  const from = attributes.find(({ name }) => name === target)?.label ?? target;
  const label = texts.makeFrom(from);
  const make = async (): Promise<void> => {
    setLoading(true);
    try {
      const { default: slugify } = await import('@sindresorhus/slugify');
      const made = slugify(String(text)).slice(0, maxLength);
      if (made === '') store.addProblems([[path, texts.notMade(from)]]);
      else store.set(path, made);
    } catch (error) {
      store.addProblems([[path, messageOf(new OfflineError(error))]]);
    } finally {
      setLoading(false);
    }
  };
  return (
    <ActionIcon
      variant="subtle"
      size={26}
      aria-label={label}
      title={label}
      disabled={typeof text !== 'string' || text.trim() === ''}
      loading={isLoading}
      onClick={() => void make()}
    >
      <IconRefresh size={16} />
    </ActionIcon>
  );
}
