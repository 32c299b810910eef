/** Tools of the editor of `blocks`. */
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBold,
  IconCode,
  IconIndentDecrease,
  IconIndentIncrease,
  IconItalic,
  IconList,
  IconListNumbers,
  IconStrikethrough,
  IconUnderline,
} from '@tabler/icons-react';
import { toggleMark } from 'prosemirror-commands';
import { redo, undo } from 'prosemirror-history';
import type { Command } from 'prosemirror-state';
import { type ComponentType, lazy, Suspense, useSyncExternalStore } from 'react';
import { PictureTool } from '../fields/text-parts.tsx';
import { Tool, Toolbar as Bar } from '../parts/toolbar.tsx';
import { useTexts } from '../texts/texts.ts';
import type { BlocksView, Tools } from './blocks-view.ts';
import { ChoiceMenu } from './choice-menu.tsx';
import { indent, insertImage, outdent, setKind, toggleList } from './commands.ts';
import { LinkTool } from './link-tool.tsx';
import { LEVELS, schema } from './schema.ts';

const ImageText = lazy(() => import('./image-text.tsx'));
const LanguageMenu = lazy(() => import('./language-menu.tsx'));

const { marks } = schema;

interface Entry {
  readonly name:
    | 'bold'
    | 'italic'
    | 'underline'
    | 'strikethrough'
    | 'inlineCode'
    | 'bullets'
    | 'numbers'
    | 'indent'
    | 'outdent'
    | 'undo'
    | 'redo';
  readonly icon: ComponentType<{ size?: number }>;
  readonly command: Command;
  readonly keys?: string;
  readonly isOn?: (tools: Tools) => boolean;
  readonly isDisabled?: (tools: Tools) => boolean;
}

const isMarked =
  (name: string) =>
  ({ marks: on }: Tools): boolean =>
    on.includes(` ${name} `);

const ENTRIES: readonly Entry[] = [
  { name: 'bold', icon: IconBold, keys: 'Ctrl+B', command: toggleMark(marks.bold), isOn: isMarked('bold') },
  {
    name: 'italic',
    icon: IconItalic,
    keys: 'Ctrl+I',
    command: toggleMark(marks.italic),
    isOn: isMarked('italic'),
  },
  {
    name: 'underline',
    icon: IconUnderline,
    keys: 'Ctrl+U',
    command: toggleMark(marks.underline),
    isOn: isMarked('underline'),
  },
  {
    name: 'strikethrough',
    icon: IconStrikethrough,
    keys: 'Ctrl+Shift+X',
    command: toggleMark(marks.strikethrough),
    isOn: isMarked('strikethrough'),
  },
  {
    name: 'inlineCode',
    icon: IconCode,
    keys: 'Ctrl+E',
    command: toggleMark(marks.inline_code),
    isOn: isMarked('code'),
  },
  {
    name: 'bullets',
    icon: IconList,
    keys: 'Ctrl+Shift+8',
    command: toggleList('unordered'),
    isOn: ({ format }) => format === 'unordered',
  },
  {
    name: 'numbers',
    icon: IconListNumbers,
    keys: 'Ctrl+Shift+7',
    command: toggleList('ordered'),
    isOn: ({ format }) => format === 'ordered',
  },
  { name: 'indent', icon: IconIndentIncrease, command: indent, isDisabled: ({ format }) => format === null },
  {
    name: 'outdent',
    icon: IconIndentDecrease,
    command: outdent,
    isDisabled: ({ format }) => format === null,
  },
  {
    name: 'undo',
    icon: IconArrowBackUp,
    keys: 'Ctrl+Z',
    command: undo,
    isDisabled: ({ canUndo }) => !canUndo,
  },
  {
    name: 'redo',
    icon: IconArrowForwardUp,
    keys: 'Ctrl+Y',
    command: redo,
    isDisabled: ({ canRedo }) => !canRedo,
  },
];

interface Props {
  readonly view: BlocksView;
  readonly label: string;
  readonly isLinking: boolean;
  readonly setLinking: (isLinking: boolean) => void;
}

export function Toolbar({ view, label, isLinking, setLinking }: Props) {
  const texts = useTexts();
  const tools = useSyncExternalStore(view.subscribe, view.current);
  return (
    <Bar label={texts.blocks.toolbar(label)} leave={() => view.focus()}>
      <KindMenu view={view} kind={tools.kind} />
      {tools.kind === 'code' && (
        <Suspense fallback={null}>
          <LanguageMenu view={view} language={tools.language} />
        </Suspense>
      )}
      {ENTRIES.map(({ name, icon, command, keys, isOn, isDisabled }) => (
        <Tool
          key={name}
          label={texts.blocks[name]}
          keys={keys}
          icon={icon}
          isOn={isOn?.(tools)}
          isDisabled={isDisabled?.(tools) ?? false}
          run={() => view.run(command)}
        />
      ))}
      <LinkTool view={view} link={tools.link} isOpen={isLinking} setOpen={setLinking} />
      <PictureTool
        choose={(picture) => {
          if (picture?.file === undefined) return;
          const { file } = picture;
          view.run((state, dispatch) => {
            dispatch?.(insertImage(state.tr, file));
            return true;
          });
        }}
      />
      {tools.image !== null && (
        <Suspense fallback={null}>
          <ImageText view={view} node={tools.image} />
        </Suspense>
      )}
    </Bar>
  );
}

function KindMenu({ view, kind }: { readonly view: BlocksView; readonly kind: string }) {
  const texts = useTexts();
  const choices = [
    { value: 'paragraph', label: texts.blocks.paragraph },
    ...LEVELS.map((level) => ({ value: `heading ${level}`, label: texts.blocks.heading(level) })),
    { value: 'quote', label: texts.blocks.quote },
    { value: 'code', label: texts.blocks.code },
  ];
  const choose = (value: string): void => {
    const [name = '', level] = value.split(' ');
    const type = schema.nodes[name];
    if (type !== undefined) view.run(setKind(type, level === undefined ? {} : { level: Number(level) }));
  };
  const shown = choices.find(({ value }) => value === kind)?.label ?? texts.blocks.bullets;
  return <ChoiceMenu {...{ view, label: texts.blocks.kind, shown, choices, choose }} />;
}
