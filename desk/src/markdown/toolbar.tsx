/** Tools of the editor of Markdown. */
import type { StateCommand } from '@codemirror/state';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBold,
  IconCode,
  IconEye,
  IconH1,
  IconH2,
  IconH3,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconQuote,
  IconSourceCode,
  IconStrikethrough,
} from '@tabler/icons-react';
import { type ComponentType, useSyncExternalStore } from 'react';
import { PictureTool } from '../fields/text-parts.tsx';
import { Tool, Toolbar as Bar } from '../parts/toolbar.tsx';
import { type Texts, useTexts } from '../texts/texts.ts';
import { codeBlock, link, toggleAround, toggleLines } from './commands.ts';
import { pictureText } from './picture.ts';
import type { MarkdownView } from './markdown-view.ts';

interface Entry {
  readonly label: (texts: Texts) => string;
  readonly icon: ComponentType<{ size?: number }>;
  readonly keys?: string;
  readonly command: StateCommand;
}

const heading = (level: number, icon: Entry['icon']): Entry => ({
  label: ({ blocks }) => blocks.heading(level),
  icon,
  keys: `Ctrl+Alt+${level}`,
  command: toggleLines(() => `${'#'.repeat(level)} `),
});

const ENTRIES: readonly Entry[] = [
  heading(1, IconH1),
  heading(2, IconH2),
  heading(3, IconH3),
  { label: ({ blocks }) => blocks.bold, icon: IconBold, keys: 'Ctrl+B', command: toggleAround('**') },
  { label: ({ blocks }) => blocks.italic, icon: IconItalic, keys: 'Ctrl+I', command: toggleAround('*') },
  {
    label: ({ blocks }) => blocks.strikethrough,
    icon: IconStrikethrough,
    keys: 'Ctrl+Shift+X',
    command: toggleAround('~~'),
  },
  { label: ({ blocks }) => blocks.inlineCode, icon: IconCode, keys: 'Ctrl+E', command: toggleAround('`') },
  {
    label: ({ blocks }) => blocks.bullets,
    icon: IconList,
    keys: 'Ctrl+Shift+8',
    command: toggleLines(() => '- '),
  },
  {
    label: ({ blocks }) => blocks.numbers,
    icon: IconListNumbers,
    keys: 'Ctrl+Shift+7',
    command: toggleLines((at) => `${at + 1}. `),
  },
  {
    label: ({ blocks }) => blocks.quote,
    icon: IconQuote,
    keys: 'Ctrl+Shift+9',
    command: toggleLines(() => '> '),
  },
  { label: ({ blocks }) => blocks.code, icon: IconSourceCode, command: codeBlock },
  { label: ({ blocks }) => blocks.link, icon: IconLink, keys: 'Ctrl+K', command: link() },
];

interface Props {
  readonly view: MarkdownView;
  readonly label: string;
  readonly readOnly: boolean;
  readonly isShown: boolean;
  readonly setShown: (isShown: boolean) => void;
}

export function Toolbar({ view, label, readOnly, isShown, setShown }: Props) {
  const texts = useTexts();
  return (
    <Bar label={texts.blocks.toolbar(label)} leave={() => view.focus()}>
      {!readOnly && <Writing view={view} />}
      <Tool
        label={texts.markdown.previewOf(label)}
        icon={IconEye}
        isOn={isShown}
        run={() => setShown(!isShown)}
      />
    </Bar>
  );
}

function Writing({ view }: { readonly view: MarkdownView }) {
  const texts = useTexts();
  const { canUndo, canRedo } = useSyncExternalStore(view.subscribe, view.current);
  return (
    <>
      {ENTRIES.map(({ label, icon, keys, command }) => (
        <Tool key={label(texts)} label={label(texts)} keys={keys} icon={icon} run={() => view.run(command)} />
      ))}
      <PictureTool
        choose={(picture) => {
          if (picture !== undefined) view.insert(pictureText(picture));
          view.focus();
        }}
      />
      <Tool
        label={texts.blocks.undo}
        keys="Ctrl+Z"
        icon={IconArrowBackUp}
        isDisabled={!canUndo}
        run={() => view.undo()}
      />
      <Tool
        label={texts.blocks.redo}
        keys="Ctrl+Y"
        icon={IconArrowForwardUp}
        isDisabled={!canRedo}
        run={() => view.redo()}
      />
    </>
  );
}
