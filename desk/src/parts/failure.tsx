/** Says why content could not be loaded, and offers another attempt if that may succeed. */
import { Alert, Button } from '@mantine/core';
import { ApiError } from '../api/errors.ts';
import { failureText } from '../texts/reasons.ts';
import { useTexts } from '../texts/texts.ts';

interface Props {
  readonly error: Error;
  readonly retry: () => void;
}

export function Failure({ error, retry }: Props) {
  const texts = useTexts();
  const status = error instanceof ApiError ? error.status : null;
  return (
    <Alert color="red" role="alert" title={status === 404 ? texts.goneHint : failureText(error, texts)}>
      {status !== 403 && status !== 404 && (
        <Button size="xs" onClick={retry}>
          {texts.retry}
        </Button>
      )}
    </Alert>
  );
}
