import { Anchor, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { session } from '../api/session.ts';
import { useSending } from '../parts/sending.tsx';
import { settings } from '../settings.ts';
import { useTexts } from '../texts/texts.ts';

function Page({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={400} shadow="sm">
        <Stack>
          <Title order={1} size="h2">
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}

/** Sends a form. */
function useForm(work: () => Promise<void>) {
  const { send, ...sending } = useSending();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send(work);
  };
  return { ...sending, submit };
}

export function SignInPage() {
  const texts = useTexts();
  const [asksForLink, setAsksForLink] = useState(false);
  return (
    <Page title={texts.desk}>
      {asksForLink ? (
        <ForgotForm back={() => setAsksForLink(false)} />
      ) : (
        <>
          <Text size="sm">{texts.signInHere}</Text>
          <SignInForm identifier="" />
          {settings.forgotPassword && (
            <Anchor component="button" type="button" size="sm" onClick={() => setAsksForLink(true)}>
              {texts.forgot}
            </Anchor>
          )}
        </>
      )}
    </Page>
  );
}

export function SignInForm({ identifier: known }: { readonly identifier: string }) {
  const texts = useTexts();
  const [identifier, setIdentifier] = useState(known);
  const [password, setPassword] = useState('');
  const { submit, isSending, alert } = useForm(() => session.enter('', { identifier, password }));
  if (settings.signIn !== null)
    return (
      <Stack>
        <Button component="a" href={settings.signIn.url} target="_blank">
          {texts.goToSignIn}
        </Button>
        <Button variant="default" onClick={() => session.resume()}>
          {texts.goOn}
        </Button>
      </Stack>
    );
  return (
    <form onSubmit={submit}>
      <Stack>
        {alert}
        <TextInput
          label={texts.identifier}
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus={known === ''}
          value={identifier}
          onChange={(event) => setIdentifier(event.currentTarget.value)}
        />
        <PasswordInput
          label={texts.password}
          autoComplete="current-password"
          required
          withAsterisk={false}
          {...(known === '' ? {} : { 'data-autofocus': true })}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={isSending}>
          {texts.signIn}
        </Button>
      </Stack>
    </form>
  );
}

function ForgotForm({ back }: { readonly back: () => void }) {
  const texts = useTexts();
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const { submit, isSending, alert } = useForm(async () => {
    await session.forgot(email);
    setSent(true);
  });
  return (
    <form onSubmit={submit}>
      <Stack>
        {alert}
        <Text size="sm" role="status">
          {isSent ? texts.linkSent : texts.forgotHint}
        </Text>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="email"
          required
          withAsterisk={false}
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" loading={isSending}>
          {texts.sendLink}
        </Button>
        <Button variant="subtle" onClick={back}>
          {texts.signIn}
        </Button>
      </Stack>
    </form>
  );
}

/** Page of a link with a code after `#`, which browsers send to no server. */
export function CodePage({ kind }: { readonly kind: 'invitation' | 'reset' }) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const [password, setPassword] = useState('');
  const { submit, isSending, alert } = useForm(async () => {
    await session.enter(`/${kind}`, { code: location.hash.slice(1), password });
    navigate('/', { replace: true });
  });
  return (
    <Page title={kind === 'invitation' ? texts.invitation : texts.newPassword}>
      <form onSubmit={submit}>
        <Stack>
          {alert}
          <Text size="sm">{kind === 'invitation' ? texts.invitationHint : texts.resetHint}</Text>
          <PasswordInput
            label={texts.newPassword}
            autoComplete="new-password"
            required
            withAsterisk={false}
            autoFocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" loading={isSending}>
            {texts.accept}
          </Button>
          <Anchor component={Link} size="sm" href="/">
            {texts.goToSignIn}
          </Anchor>
        </Stack>
      </form>
    </Page>
  );
}
