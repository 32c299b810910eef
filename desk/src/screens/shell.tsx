import {
  Anchor,
  AppShell,
  Box,
  Burger,
  Center,
  Group,
  Loader,
  NavLink,
  ScrollArea,
  Text,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, type MouseEvent, Suspense } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import type { Model, Type } from '../model/model.ts';
import { settings } from '../settings.ts';
import { hostText, useLanguage, useTexts } from '../texts/texts.ts';
import { Boundary } from '../parts/boundary.tsx';
import { MessageLine } from '../parts/messages.tsx';
import { NotFound } from '../parts/not-found.tsx';
import { LeaveQuestion } from '../parts/leave-question.tsx';
import { CONTENT, focusContent, usePageChanges } from '../parts/page-change.ts';
import { hostScreens } from '../extension.ts';
import { useModel } from './app.tsx';
import { DocumentScreen } from './document.tsx';
import { HeaderMenus, PaletteButton } from './header.tsx';
import { HostScreen } from './host-screen.tsx';
import { ListScreen } from './list.tsx';
import { PeopleNavigation } from './people/navigation.tsx';

const MediaScreen = lazy(() => import('../media/media-screen.tsx'));
const WebhooksScreens = lazy(() => import('./webhooks/screens.tsx'));
const ReleasesScreens = lazy(() => import('./releases/screens.tsx'));
const AuditScreen = lazy(() => import('./audit/screens.tsx'));
const HistoryScreens = lazy(() => import('./history/screens.tsx'));
const PeopleScreens = lazy(() => import('./people/screens.tsx'));

const hasFiles = (model: Model): boolean => 'find' in (model.type('file')?.verbs ?? {});

/** Moves the focus to the content. The link alone would open the start: the page has a base address. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  focusContent();
}

export function Shell() {
  const texts = useTexts();
  const model = useModel();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const first = model.listed[0];
  const [path] = useLocation();
  usePageChanges();
  const hasWebhooks = model.webhooks.includes('find');
  const hasLibrary = hasFiles(model);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a className="desk-skip" href={`#${CONTENT}`} onClick={skip}>
        {texts.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={texts.menu} />
            {settings.look.logo !== null && <img src={settings.look.logo} alt="" className="desk-logo" />}
            <Text fw={700}>{texts.desk}</Text>
          </Group>
          <MessageLine />
          <Group gap="xs" wrap="nowrap">
            <PaletteButton />
            <HeaderMenus />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={texts.menu}>
        <ScrollArea p="xs">
          <Navigation close={close} />
          <Screens close={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id={CONTENT} tabIndex={-1}>
        <Boundary at={path}>
          <Suspense
            fallback={
              <Center p="xl">
                <Loader aria-label={texts.loading} />
              </Center>
            }
          >
            <Switch>
              <Route path="/content/:type">{({ type }) => <OneType name={type} />}</Route>
              <Route path="/content/:type/:document">
                {({ type, document }) => <OneType name={type} document={document} />}
              </Route>
              <Route path="/history/:type/:document?">
                {({ type, document = null }) => <Past screen="history" name={type} documentId={document} />}
              </Route>
              <Route path="/trash/:type">
                {({ type }) => <Past screen="trash" name={type} documentId={null} />}
              </Route>
              {hasLibrary && (
                <Route path="/media">
                  <MediaScreen />
                </Route>
              )}
              {hasWebhooks && (
                <Route path="/webhooks/:id?">
                  <WebhooksScreens />
                </Route>
              )}
              {model.releases && (
                <Route path="/releases/:id?">
                  <ReleasesScreens />
                </Route>
              )}
              {model.audit && (
                <Route path="/audit">
                  <AuditScreen />
                </Route>
              )}
              <Route path="/people/:screen/:id?">
                <PeopleScreens />
              </Route>
              <Route path="/host/:name">{({ name }) => <HostScreen key={name} name={name} />}</Route>
              <Route path="/account">
                <PeopleScreens />
              </Route>
              <Route path="/">
                {first === undefined ? <NoContent /> : <Redirect to={`/content/${first.name}`} replace />}
              </Route>
              <Route path="*">
                <NotFound />
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </AppShell.Main>
      <LeaveQuestion />
    </AppShell>
  );
}

/** Entries of the menu after the content types. */
function Screens({ close }: Pick<ScreenProps, 'close'>) {
  const texts = useTexts();
  const language = useLanguage();
  const model = useModel();
  return (
    <>
      <Box mb="md">
        {model.releases && <ScreenLink href="/releases" label={texts.releases.title} close={close} />}
        {hasFiles(model) && <ScreenLink href="/media" label={texts.library} close={close} />}
      </Box>
      <PeopleNavigation close={close} />
      {hostScreens().map(({ name, label }) => (
        <ScreenLink key={name} href={`/host/${name}`} label={hostText(label, language)} close={close} />
      ))}
      {model.webhooks.includes('find') && (
        <ScreenLink href="/webhooks" label={texts.webhooks.title} close={close} />
      )}
      {model.audit && <ScreenLink href="/audit" label={texts.audit.title} close={close} />}
    </>
  );
}

function OneType({ name, document }: { readonly name: string; readonly document?: string }) {
  const type = useModel().type(name);
  if (type === null || type.route === null) return <NotFound />;
  if (type.kind === 'singleType') return <DocumentScreen key={name} type={type} documentId={null} />;
  const isNew = document === 'new';
  if ((document === undefined && !('find' in type.verbs)) || (isNew && !('create' in type.verbs)))
    return <NotFound />;
  if (document === undefined) return <ListScreen key={name} type={type} />;
  const documentId = isNew ? null : document;
  return <DocumentScreen key={name} type={type} documentId={documentId} />;
}

interface PastProps {
  readonly screen: 'history' | 'trash';
  readonly name: string;
  readonly documentId: string | null;
}

/** Versions of a document, or the trash of a type, for editors who may see them. */
function Past({ screen, name, documentId }: PastProps) {
  const type = useModel().type(name);
  const isShown = type !== null && (screen === 'trash' ? 'trash' : 'versions') in type.verbs;
  const isComplete = screen === 'trash' || (documentId === null) === (type?.kind === 'singleType');
  if (!isShown || !isComplete) return <NotFound />;
  return <HistoryScreens key={`${name} ${documentId}`} {...{ screen, type, documentId }} />;
}

/** Start of an editor who sees no lists: some may create documents only. */
function NoContent() {
  const texts = useTexts();
  const { creatable } = useModel();
  if (creatable.length === 0)
    return (
      <NotFound title={texts.noContent}>
        <Text>{texts.noContentHint}</Text>
      </NotFound>
    );
  return (
    <NotFound title={texts.create}>
      {creatable.map(({ name, label }) => (
        <Text key={name}>
          <Anchor component={Link} href={`/content/${name}/new`}>
            {texts.newDocument(label)}
          </Anchor>
        </Text>
      ))}
    </NotFound>
  );
}

/** Types by their group, first those without one. */
function groupsOf(types: readonly Type[]): readonly (readonly [string | null, readonly Type[]])[] {
  const groups = new Map<string | null, Type[]>([[null, []]]);
  for (const type of types) groups.set(type.group, [...(groups.get(type.group) ?? []), type]);
  return [...groups].filter(([, members]) => members.length > 0);
}

function Navigation({ close }: { readonly close: () => void }) {
  const texts = useTexts();
  const model = useModel();
  const [path] = useLocation();
  return groupsOf(model.listed).map(([group, types]) => (
    <Box key={group ?? ''} mb="md">
      <Text size="xs" fw={700} tt="uppercase" px="sm" py={4} c="dimmed">
        {group ?? texts.content}
      </Text>
      {types.map((type) => {
        const { name } = type;
        const href = `/content/${name}`;
        const isActive = [href, `/history/${name}`, `/trash/${name}`].some(
          (one) => path === one || path.startsWith(`${one}/`),
        );
        return (
          <NavLink
            key={name}
            component={Link}
            href={href}
            label={type.listLabel}
            active={isActive}
            aria-current={isActive ? 'page' : undefined}
            onClick={close}
          />
        );
      })}
    </Box>
  ));
}

interface ScreenProps {
  readonly href: string;
  readonly label: string;
  readonly close: () => void;
}

/** Entry of the menu outside of all groups. */
function ScreenLink({ href, label, close }: ScreenProps) {
  const [path] = useLocation();
  const isActive = path === href || path.startsWith(`${href}/`);
  return (
    <NavLink
      component={Link}
      href={href}
      label={label}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      onClick={close}
    />
  );
}
