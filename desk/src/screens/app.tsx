/** Decides what the whole page shows: sign-in, the desk, or the reason why it cannot be shown. */
import { Button, Center, Loader, Modal, Stack, Text, Title } from '@mantine/core';
import { useFocusReturn, useLayer } from '../parts/dialog.tsx';
import { useFocusKeeper } from '../parts/focus-keeper.ts';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from 'react';
import { Route, Switch } from 'wouter';
import { ApiError } from '../api/errors.ts';
import { request } from '../api/http.ts';
import { session } from '../api/session.ts';
import { type DeskModel, Model } from '../model/model.ts';
import { useSending } from '../parts/sending.tsx';
import { settings } from '../settings.ts';
import { failureText } from '../texts/reasons.ts';
import { prepareFormats, useLanguage, useTexts } from '../texts/texts.ts';
import { Shell } from './shell.tsx';
import { CodePage, SignInForm, SignInPage } from './sign-in.tsx';

const ModelContext = createContext<Model | null>(null);

/** Returns the model. Throws an Error outside the desk. */
export function useModel(): Model {
  const model = useContext(ModelContext);
  if (model === null) throw new Error('There is no model outside the desk');
  return model;
}

export function App() {
  useFocusKeeper();
  const state = useSyncExternalStore(session.subscribe, session.snapshot);
  return (
    <Switch>
      <Route path="/invitation">
        <CodePage kind="invitation" />
      </Route>
      <Route path="/reset-password">
        <CodePage kind="reset" />
      </Route>
      <Route path="*">
        {state === 'starting' && <Starting />}
        {state === 'out' && <SignInPage />}
        {(state === 'in' || state === 'expired') && <Desk />}
        {state === 'expired' && <SignInAgain />}
      </Route>
    </Switch>
  );
}

/** Browsers lack functions that the desk needs on pages without HTTPS, except on localhost. */
export function NeedsHttps() {
  const texts = useTexts();
  return (
    <Center component="main" h="100vh" p="md">
      <Text>{texts.needsHttps}</Text>
    </Center>
  );
}

function Starting() {
  const texts = useTexts();
  const language = useLanguage();
  useEffect(() => prepareFormats(language), [language]);
  return (
    <Center h="100vh">
      <Loader aria-label={texts.loading} />
    </Center>
  );
}

/** Dialog over the page when the session has ended: the page and its changes stay. */
function SignInAgain() {
  const texts = useTexts();
  useLayer();
  useFocusReturn();
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={texts.signInAgain}
    >
      <Stack>
        <Text size="sm">{texts.signInAgainHint}</Text>
        <SignInForm identifier={session.user?.email ?? ''} />
      </Stack>
    </Modal>
  );
}

function Desk() {
  const texts = useTexts();
  const language = useLanguage();
  const { send, alert, isSending } = useSending();
  const { data, error, refetch } = useQuery({
    queryKey: ['model', language],
    queryFn: async () =>
      (await request<{ data: DeskModel }>(`${settings.base}/model`, { query: { language } })).body.data,
    staleTime: 60_000,
  });
  const model = useMemo(() => (data === undefined ? null : new Model(data)), [data]);
  if (model !== null)
    return (
      <ModelContext value={model}>
        <Shell />
      </ModelContext>
    );
  if (error === null) return <Starting />;
  const isForbidden = error instanceof ApiError && error.status === 403;
  return (
    <Center h="100vh" p="md">
      <Stack maw={420}>
        <Title order={1} size="h3">
          {isForbidden ? texts.noDeskTitle : texts.desk}
        </Title>
        <Text>{isForbidden ? texts.noDesk : failureText(error, texts)}</Text>
        {alert}
        {isForbidden ? (
          <Button loading={isSending} onClick={() => void send(() => session.leave())}>
            {texts.signOut}
          </Button>
        ) : (
          <Button onClick={() => void refetch()}>{texts.retry}</Button>
        )}
      </Stack>
    </Center>
  );
}
