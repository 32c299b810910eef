/** Parts of the people screens: dialogs, and the sending of changes. */
import { Button, CopyButton, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ComponentProps, FormEvent } from 'react';
import { Dialog, DialogButtons, markFirstField } from '../../parts/dialog.tsx';
import { say } from '../../parts/messages.tsx';
import { Unsaved, useChanged } from '../../parts/unsaved.tsx';
import { type Sending, useSending } from '../../parts/sending.tsx';
import { useTexts } from '../../texts/texts.ts';

/** Sends changes of people. The lists are read again after each. */
export function useChanges(): Sending {
  const client = useQueryClient();
  const { send, ...sending } = useSending();
  return {
    ...sending,
    send: (work) => send(work).finally(() => void client.invalidateQueries({ queryKey: ['people'] })),
  };
}

interface FormProps extends ComponentProps<typeof Dialog> {
  readonly label: string;
  /** Values of the form. */
  readonly values?: unknown;
  /** Message about the change. */
  readonly message?: string;
  /** Sends the form. Throws an Error for what is refused. */
  readonly submit: () => Promise<unknown>;
}

/** Dialog with a form, which closes when its change is made. The first field has the focus. */
export function FormDialog({ label, values, message, submit, children, ...dialog }: FormProps) {
  const isChanged = useChanged(values);
  const { isSending, alert, send } = useChanges();
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void send(submit).then((isDone) => {
      if (!isDone) return;
      if (message !== undefined) say(message);
      dialog.close();
    });
  };
  return (
    <Dialog {...dialog}>
      {/* A form that is being sent may open the page of what it creates. */}
      <Unsaved isChanged={isChanged && !isSending} />
      <form onSubmit={onSubmit} ref={markFirstField}>
        <Stack>
          {alert}
          {children}
          <DialogButtons close={dialog.close} {...{ label, isSending }} />
        </Stack>
      </form>
    </Dialog>
  );
}

export interface Question {
  readonly title: string;
  readonly hint: string;
  readonly label: string;
  /** Message afterwards. */
  readonly done: string;
  readonly work: () => Promise<unknown>;
}

/** Asks before a change that ends or deletes something. */
export function QuestionDialog({ question, close }: { readonly question: Question; close: () => void }) {
  const { isSending, alert, send } = useChanges();
  const { title, hint, label, done, work } = question;
  const confirm = async (): Promise<void> => {
    if (!(await send(work))) return;
    say(done);
    close();
  };
  return (
    <Dialog title={title} close={close}>
      {alert}
      <Text size="sm">{hint}</Text>
      <DialogButtons {...{ close, label, isSending }} act={() => void confirm()} isDangerous />
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
