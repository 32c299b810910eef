/** Field of the host: it draws itself, and has the interface of the form for one value. */
import { Alert, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { hostTools } from '../api/host-tools.ts';
import { messageOf } from '../api/errors.ts';
import { hostField } from '../extension.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { FieldHead } from './field-head.tsx';
import { type FieldProps, useForm, useValue } from './form-context.ts';

export function HostField({ attribute, path, readOnly }: FieldProps) {
  const { store, locale } = useForm();
  const language = useLanguage();
  const texts = useTexts();
  const [, , problem] = useValue(path);
  const element = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    const root = element.current;
    const field = hostField(attribute['field']);
    if (root === null || field === null) return undefined;
    const place = {
      ...hostTools(language),
      attribute,
      path,
      locale,
      readOnly,
      get: () => store.get(path),
      set: (value: unknown) => {
        if (!readOnly) store.set(path, value);
      },
      subscribe: (listener: () => void) => store.subscribe(path, listener),
    };
    let unmount: (() => void) | undefined;
    try {
      unmount = field.mount(root, place);
    } catch (error) {
      setFailure(messageOf(error));
    }
    return () => {
      unmount?.();
      root.replaceChildren();
    };
  }, [store, attribute, path, locale, readOnly, language]);
  return (
    <Stack gap={6} role="group" aria-label={attribute.label} data-path={path}>
      <FieldHead attribute={attribute} problem={problem} />
      {failure !== null && <Alert color="red">{texts.failed(failure)}</Alert>}
      <div ref={element} />
    </Stack>
  );
}
