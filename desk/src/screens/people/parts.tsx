/** Parts of the people screens: their frame, dialogs, and the sending of changes. */
import { Alert, Button, CopyButton, Group, Loader, Modal, Stack, Text, Textarea, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../../texts/texts.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface FrameProps {
  readonly title: string;
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Controls beside the title. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

export function Frame({ title, isLoading, error, retry, tools, children }: FrameProps) {
  const texts = useTexts();
  useEffect(() => {
    document.title = `${title} · ${texts.desk}`;
  }, [title, texts]);
  return (
    <Stack p="md" gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={1} size="h2">
            {title}
          </Title>
          {isLoading && <Loader size="xs" aria-label={texts.loading} />}
        </Group>
        {tools}
      </Group>
      {error !== null && (
        <Alert color="red" title={texts.failed(error.message)}>
          <Button size="xs" onClick={retry}>
            {texts.retry}
          </Button>
        </Alert>
      )}
      {children}
    </Stack>
  );
}

export interface Sending {
  readonly isSending: boolean;
  readonly alert: ReactNode;
  readonly clear: () => void;
  /** Sends a change. Reads the lists again, and resolves with whether the change was made. */
  readonly send: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Sends changes one at a time, and shows what was refused. */
export function useSending(): Sending {
  const client = useQueryClient();
  const [error, setError] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (work: () => Promise<unknown>): Promise<boolean> => {
    setSending(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (reason) {
      setError(messageOf(reason));
      return false;
    } finally {
      setSending(false);
      void client.invalidateQueries({ queryKey: ['people'] });
    }
  };
  const alert =
    error === null ? null : (
      <Alert color="red" role="alert">
        {error}
      </Alert>
    );
  return { isSending, alert, send, clear: () => setError(null) };
}

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ReactNode;
  readonly size?: string;
}

export function Dialog({ title, close, children, size = 'md' }: DialogProps) {
  const texts = useTexts();
  return (
    <Modal opened onClose={close} title={title} size={size} closeButtonProps={{ 'aria-label': texts.close }}>
      <Stack>{children}</Stack>
    </Modal>
  );
}

interface FormProps extends DialogProps {
  readonly label: string;
  /** Sends the form. Throws an Error for what is refused. */
  readonly submit: () => Promise<unknown>;
}

/** Dialog with a form, which closes when its change is made. */
export function FormDialog({ label, submit, children, ...dialog }: FormProps) {
  const texts = useTexts();
  const { isSending, alert, send } = useSending();
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void send(submit).then((isDone) => {
      if (isDone) dialog.close();
    });
  };
  return (
    <Dialog {...dialog}>
      <form onSubmit={onSubmit}>
        <Stack>
          {alert}
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={dialog.close}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={isSending}>
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

export interface Question {
  readonly title: string;
  readonly hint: string;
  readonly label: string;
  readonly work: () => Promise<unknown>;
}

/** Asks before a change that ends or deletes something. */
export function QuestionDialog({ question, close }: { readonly question: Question; close: () => void }) {
  const texts = useTexts();
  const { isSending, alert, send } = useSending();
  const { title, hint, label, work } = question;
  const confirm = async (): Promise<void> => {
    if (!(await send(work))) return;
    notifications.show({ position: 'bottom-center', message: texts.persons.done(label) });
    close();
  };
  return (
    <Dialog title={title} close={close}>
      {alert}
      <Text size="sm">{hint}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {texts.cancel}
        </Button>
        <Button color="red.9" loading={isSending} onClick={() => void confirm()}>
          {label}
        </Button>
      </Group>
    </Dialog>
  );
}

export interface Secret {
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly text: string;
}

/** Shows a link or a token that is not shown again. */
export function SecretDialog({ secret, close }: { readonly secret: Secret; readonly close: () => void }) {
  const texts = useTexts();
  return (
    <Dialog title={secret.title} close={close}>
      <Text size="sm">{secret.hint}</Text>
      <Textarea
        label={secret.label}
        value={secret.text}
        readOnly
        autosize
        data-autofocus
        classNames={{ input: 'desk-code' }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={secret.text}>
        {({ copied, copy }) => (
          <Button onClick={copy}>{copied ? texts.persons.copied : texts.persons.copy}</Button>
        )}
      </CopyButton>
    </Dialog>
  );
}
