/** Dialogs that send a change, and a dialog that shows a secret. */
import { Button, CopyButton, Stack, Text, Textarea } from '@mantine/core';
import type { ComponentProps, FormEvent } from 'react';
import { useTexts } from '../texts/texts.ts';
import { useChanges } from './changes.ts';
import { Dialog, DialogButtons, markFirstField } from './dialog.tsx';
import { say } from './messages.tsx';
import { Unsaved, useChanged } from './unsaved.tsx';

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
  const { isSending, alert, send, isShown } = useChanges();
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void send(submit).then((isDone) => {
      if (!isDone) return;
      if (message !== undefined) say(message);
      if (isShown.current) dialog.close();
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
  const { isSending, alert, send, isShown } = useChanges();
  const { title, hint, label, done, work } = question;
  const confirm = async (): Promise<void> => {
    if (!(await send(work))) return;
    say(done);
    if (isShown.current) close();
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
