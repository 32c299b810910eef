/** Boundaries of errors: a part of the page that cannot be loaded or drawn leaves the rest as it is. */
import { Alert, Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { messageOf } from '../api/errors.ts';
import { reload } from '../api/reload.ts';
import { failureText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';
import { useSending } from './sending.tsx';

interface Props {
  readonly children: ReactNode;
  /** Address of the part: another one is tried again. */
  readonly at?: string;
  /** Class of the message, in place of one in the part. */
  readonly className?: string;
}

interface State {
  readonly failure: string | null;
  readonly at: string | undefined;
}

/** Messages of browsers about scripts and styles that were not loaded. */
const NOT_LOADED = /import|preload/i;

const failureOf = (error: unknown): string => {
  const message = messageOf(error);
  return NOT_LOADED.test(message) ? 'The server cannot be reached' : message;
};

export class Boundary extends Component<Props, State> {
  override state: State = { failure: null, at: this.props.at };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failure: failureOf(error) };
  }

  static getDerivedStateFromProps({ at }: Props, state: State): State {
    return state.at === at ? state : { failure: null, at };
  }

  override render(): ReactNode {
    const { children, className } = this.props;
    const { failure } = this.state;
    return failure === null ? children : <Failure message={failure} className={className} />;
  }
}

/** A new attempt needs a new page: browsers may keep the failure of a script. Unsaved work outlives it. */
function Failure({ message, className }: { readonly message: string; readonly className?: string }) {
  const texts = useTexts();
  const { send, isSending } = useSending();
  return (
    <Alert
      color="red"
      role="alert"
      m={className === undefined ? 'md' : undefined}
      bg="var(--mantine-color-body)"
      className={className}
      title={failureText({ message }, texts)}
    >
      <Button size="xs" loading={isSending} onClick={() => void send(reload)}>
        {texts.retry}
      </Button>
    </Alert>
  );
}
