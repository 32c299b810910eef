/** Search of a list whose text is in the address, or in the state of a dialog. */
import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { directionOfSearch, useTexts } from '../texts/texts.ts';

/** Milliseconds after the last key before the search starts. */
const PAUSE = 300;

interface Props extends TextInputProps {
  readonly label: string;
  readonly search: string;
  readonly go: (search: string) => void;
}

export function SearchField({ label, search, go, ...rest }: Props) {
  const texts = useTexts();
  const [text, setText] = useState(search);
  // The search that this field has sent or received last.
  const known = useRef(search);
  const send = (next: string): void => {
    known.current = next.trim();
    go(known.current);
  };
  // A page stays mounted while the code of the next one is loaded. The address is already that of the next.
  const later = useDebouncedCallback((next: string, path: string) => {
    if (location.pathname === path) send(next);
  }, PAUSE);
  const show = (next: string): void => {
    later.cancel();
    setText(next);
  };
  // Views, buttons and steps in the history replace the search. Spaces at the end of typed text stay.
  useEffect(() => {
    if (search === known.current) return;
    known.current = search;
    show(search);
  }, [search]);
  return (
    <TextInput
      {...rest}
      role="searchbox"
      aria-label={label}
      placeholder={texts.search}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text === '' ? null : (
          <ActionIcon
            variant="subtle"
            aria-label={texts.clearSearch}
            onClick={() => {
              show('');
              send('');
            }}
          >
            <IconX size={14} />
          </ActionIcon>
        )
      }
      value={text}
      dir={directionOfSearch(text)}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        later(value, location.pathname);
      }}
    />
  );
}
