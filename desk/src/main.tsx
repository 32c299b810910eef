import '@mantine/core/styles.css';
import './desk.css';
import {
  Alert,
  CloseIcon,
  createTheme,
  DirectionProvider,
  Input,
  MantineProvider,
  PasswordInput,
} from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import type { MouseEvent } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import { ApiError, isTemporary, OfflineError } from './api/errors.ts';
import { reload } from './api/reload.ts';
import { session } from './api/session.ts';
import { leaving } from './editor/leaving.ts';
import { loadExtension } from './extension.ts';
import { Boundary } from './parts/boundary.tsx';
import { App, NeedsHttps } from './screens/app.tsx';
import { settings } from './settings.ts';
import { chosenLanguage, directionOf, loadTexts, type Texts, TextsProvider } from './texts/texts.ts';

// Libraries insert style elements only with the nonce that the policy of the page allows.
setNonce(settings.nonce);

const RELOADED = 'content-desk reloaded';
/** Milliseconds within which a page is not reloaded a second time. */
const RELOAD_PAUSE = 10_000;

// A script of a former release is gone after a deploy. Unsaved work outlives the reload.
addEventListener('vite:preloadError', () => {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - last < RELOAD_PAUSE) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  // Without the server, the page stays, with a message in place of the missing part.
  reload().catch(() => sessionStorage.removeItem(RELOADED));
});

// A file that misses its field would open in place of the page. Text editors accept files without a handler.
for (const event of ['dragover', 'drop'] as const)
  addEventListener(event, (drag) => {
    if (drag.defaultPrevented || drag.dataTransfer?.types.includes('Files') !== true) return;
    if (drag.target instanceof HTMLElement && drag.target.isContentEditable) return;
    drag.preventDefault();
    drag.dataTransfer.dropEffect = 'none';
  });

const { colour } = settings.look;
/** Darkest shade of a colour, except of the desk's own one: white text is readable on it. */
const SHADES = colour === 'indigo' ? { light: 7, dark: 8 } : { light: 9, dark: 9 };

const forgetChoice = ({ currentTarget }: MouseEvent<HTMLInputElement>): void => {
  currentTarget.value = '';
};

/** Hides icons from screen readers: the button or the text beside an icon has the name. */
const HIDDEN = { 'aria-hidden': true };

const Next = () => <IconChevronRight size={16} aria-hidden />;
const Previous = () => <IconChevronLeft size={16} aria-hidden />;

const themeOf = ({ readPassword }: Texts) =>
  createTheme({
    primaryColor: colour,
    primaryShade: SHADES as { light: 7 | 9; dark: 8 | 9 },
    autoContrast: true,
    defaultRadius: 'md',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      ActionIcon: { defaultProps: { attributes: { icon: HIDDEN } } },
      Alert: Alert.extend({ defaultProps: { variant: 'outline' } }),
      Button: { defaultProps: { attributes: { section: HIDDEN } } },
      CloseButton: { defaultProps: { icon: <CloseIcon aria-hidden /> } },
      ComboboxChevron: { defaultProps: HIDDEN },
      // Without its last choice, the input reports a file of the same name again.
      FileButton: { defaultProps: { inputProps: { onClick: forgetChoice } } },
      // Hints below the inputs leave the inputs of a row in line.
      InputWrapper: Input.Wrapper.extend({
        defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
      }),
      Menu: { defaultProps: { attributes: { itemSection: HIDDEN } } },
      Pagination: { defaultProps: { nextIcon: Next, previousIcon: Previous } },
      PasswordInput: PasswordInput.extend({
        defaultProps: {
          visibilityToggleFocusable: true,
          visibilityToggleButtonProps: { 'aria-label': readPassword },
        },
      }),
    },
  });

/** Text in the colour of the desk. */
const TINT = 'light-dark(var(--mantine-primary-color-9), var(--mantine-primary-color-3))';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: true,
      // Requests without a network fail, so that the page shows the reason. By default they would wait.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (count, error) => isTemporary(error) && count < 3,
      throwOnError: (error) => !(error instanceof ApiError || error instanceof OfflineError),
    },
  },
});

// The router decodes the search of an address, whose values `URLSearchParams` would decode a second time.
const useEncodedSearch = (): string => useSearch().replaceAll('%', '%25');

async function start(): Promise<void> {
  await loadExtension();
  const language = chosenLanguage();
  const direction = directionOf(language);
  document.documentElement.lang = language;
  document.documentElement.dir = direction;
  const texts = await loadTexts(language);
  const root = document.getElementById('root');
  if (root === null) return;
  createRoot(root).render(
    <DirectionProvider initialDirection={direction} detectDirection={false}>
      <MantineProvider
        theme={themeOf(texts)}
        defaultColorScheme="auto"
        getStyleNonce={() => settings.nonce}
        cssVariablesResolver={() => ({
          variables: {
            [`--mantine-color-${colour}-text`]: TINT,
            [`--mantine-color-${colour}-light-color`]: TINT,
          },
          light: {},
          dark: {},
        })}
      >
        <QueryClientProvider client={client}>
          <TextsProvider value={{ texts, language }}>
            <Router base={settings.base} searchHook={useEncodedSearch} aroundNav={leaving.navigate}>
              <Boundary>{isSecureContext ? <App /> : <NeedsHttps />}</Boundary>
            </Router>
          </TextsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>,
  );
}

if (isSecureContext) void session.begin();
void start();
