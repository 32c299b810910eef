/** Editor of `blocks`: headings, lists, quotes, code, links and pictures. */
import { ActionIcon, Button, Group, Popover, Select, TextInput } from '@mantine/core';
import {
  IconBold,
  IconCode,
  IconIndentDecrease,
  IconIndentIncrease,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconPhoto,
  IconStrikethrough,
  IconUnderline,
} from '@tabler/icons-react';
import { setBlockType, toggleMark } from 'prosemirror-commands';
import { history } from 'prosemirror-history';
import { type Command, EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { type ComponentType, type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { same } from '../form/values.ts';
import { useTexts } from '../texts/texts.ts';
import { indent, outdent, plugins, toggleList } from './commands.ts';
import { fromDocument, toDocument } from './convert.ts';
import { isSafeUrl, LEVELS, schema } from './schema.ts';
import './blocks.css';

const FilePicker = lazy(() => import('../screens/file-picker.tsx'));

const { nodes, marks } = schema;

interface Props {
  readonly label: string;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly readOnly: boolean;
  readonly dir: 'ltr' | 'rtl' | undefined;
  readonly describedBy: string | undefined;
}

const stateOf = (value: unknown): EditorState =>
  EditorState.create({ doc: toDocument(value), plugins: [history(), ...plugins] });

export default function BlocksEditor({ label, value, change, readOnly, dir, describedBy }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  /** Value of the document of the editor, to tell its own changes from those of others. */
  const shown = useRef<unknown>(value);
  const [, setTurn] = useState(0);
  useEffect(() => {
    if (place.current === null) return;
    const opened = new EditorView(place.current, {
      state: stateOf(value),
      editable: () => !readOnly,
      attributes: {
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': label,
        ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
        ...(dir === undefined ? {} : { dir }),
      },
      dispatchTransaction(transaction) {
        opened.updateState(opened.state.apply(transaction));
        if (transaction.docChanged) {
          shown.current = fromDocument(opened.state.doc);
          change(shown.current);
        }
        setTurn((turn) => turn + 1);
      },
    });
    view.current = opened;
    return () => opened.destroy();
    // The editor is made once for a place in the form; later values come through the effect below.
  }, [label, readOnly, dir]);
  useEffect(() => {
    if (view.current === null || same(value, shown.current)) return;
    shown.current = value;
    view.current.updateState(stateOf(value));
  }, [value]);
  return (
    <div className="desk-blocks">
      {!readOnly && view.current !== null && <Toolbar view={view.current} label={label} />}
      <div ref={place} />
    </div>
  );
}

interface Tool {
  readonly name: keyof ReturnType<typeof useTexts>['blocks'];
  readonly icon: ComponentType<{ size?: number }>;
  readonly command: Command;
  readonly isOn?: (state: EditorState) => boolean;
}

const hasMark =
  (name: string) =>
  ({ selection, storedMarks, doc }: EditorState): boolean => {
    const type = schema.marks[name];
    if (type === undefined) return false;
    if (!selection.empty) return doc.rangeHasMark(selection.from, selection.to, type);
    return type.isInSet(storedMarks ?? selection.$from.marks()) !== undefined;
  };

const inList =
  (format: string) =>
  ({ selection: { $from } }: EditorState): boolean =>
    $from.depth > 1 && $from.node(-1).attrs['format'] === format;

const TOOLS: readonly Tool[] = [
  { name: 'bold', icon: IconBold, command: toggleMark(marks.bold), isOn: hasMark('bold') },
  { name: 'italic', icon: IconItalic, command: toggleMark(marks.italic), isOn: hasMark('italic') },
  {
    name: 'underline',
    icon: IconUnderline,
    command: toggleMark(marks.underline),
    isOn: hasMark('underline'),
  },
  {
    name: 'strikethrough',
    icon: IconStrikethrough,
    command: toggleMark(marks.strikethrough),
    isOn: hasMark('strikethrough'),
  },
  {
    name: 'inlineCode',
    icon: IconCode,
    command: toggleMark(marks.inline_code),
    isOn: hasMark('inline_code'),
  },
  { name: 'bullets', icon: IconList, command: toggleList('unordered'), isOn: inList('unordered') },
  { name: 'numbers', icon: IconListNumbers, command: toggleList('ordered'), isOn: inList('ordered') },
  { name: 'indent', icon: IconIndentIncrease, command: indent },
  { name: 'outdent', icon: IconIndentDecrease, command: outdent },
];

function Toolbar({ view, label }: { readonly view: EditorView; readonly label: string }) {
  const texts = useTexts();
  const [isPicking, setPicking] = useState(false);
  const run = (command: Command): void => {
    command(view.state, view.dispatch, view);
    view.focus();
  };
  return (
    <Group gap={2} role="toolbar" aria-label={texts.blocks.toolbar(label)} className="desk-blocks-tools">
      <BlockSelect view={view} run={run} />
      {TOOLS.map(({ name, icon: Icon, command, isOn }) => (
        <ActionIcon
          key={name}
          variant={isOn?.(view.state) === true ? 'light' : 'subtle'}
          color="gray"
          aria-label={texts.blocks[name] as string}
          aria-pressed={isOn?.(view.state)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => run(command)}
        >
          <Icon size={16} />
        </ActionIcon>
      ))}
      <LinkTool view={view} run={run} />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={texts.blocks.image}
        onClick={() => setPicking(true)}
      >
        <IconPhoto size={16} />
      </ActionIcon>
      {isPicking && (
        <Suspense fallback={null}>
          <FilePicker
            isOne
            allowed={['images']}
            close={([link]) => {
              setPicking(false);
              if (link?.file === undefined) return;
              const node = nodes.image.create({ image: link.file });
              view.dispatch(view.state.tr.replaceSelectionWith(node).scrollIntoView());
            }}
          />
        </Suspense>
      )}
    </Group>
  );
}

interface ToolProps {
  readonly view: EditorView;
  readonly run: (command: Command) => void;
}

function BlockSelect({ view, run }: ToolProps) {
  const texts = useTexts();
  const { parent } = view.state.selection.$from;
  const current =
    parent.type === nodes.heading ? `heading ${String(parent.attrs['level'])}` : parent.type.name;
  const data = [
    { value: 'paragraph', label: texts.blocks.paragraph },
    ...LEVELS.map((level) => ({ value: `heading ${level}`, label: texts.blocks.heading(level) })),
    { value: 'quote', label: texts.blocks.quote },
    { value: 'code', label: texts.blocks.code },
  ];
  const choose = (value: string | null): void => {
    const [name = 'paragraph', level] = (value ?? 'paragraph').split(' ');
    const type = schema.nodes[name];
    if (type !== undefined) run(setBlockType(type, level === undefined ? null : { level: Number(level) }));
  };
  return (
    <Select
      size="xs"
      w={130}
      aria-label={texts.blocks.kind}
      data={data}
      value={data.some(({ value }) => value === current) ? current : null}
      placeholder={texts.blocks.bullets}
      allowDeselect={false}
      onChange={choose}
    />
  );
}

function LinkTool({ view, run }: ToolProps) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const [url, setUrl] = useState('');
  const isLinked = hasMark('link')(view.state);
  const open = (): void => {
    const { $from, empty } = view.state.selection;
    if (isLinked) return run(toggleMark(marks.link));
    if (empty) return;
    setUrl(String(marks.link.isInSet($from.marks())?.attrs['url'] ?? ''));
    setOpen(true);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    if (url === '' || !isSafeUrl(url)) return;
    setOpen(false);
    run(toggleMark(marks.link, { url }));
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant={isLinked ? 'light' : 'subtle'}
          color="gray"
          aria-label={texts.blocks.link}
          aria-pressed={isLinked}
          onMouseDown={(event) => event.preventDefault()}
          onClick={open}
        >
          <IconLink size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit}>
          <Group gap="xs" align="flex-end">
            <TextInput
              label={texts.blocks.address}
              placeholder="https://"
              value={url}
              error={url !== '' && !isSafeUrl(url) ? texts.noPattern : null}
              onChange={(event) => setUrl(event.currentTarget.value)}
            />
            <Button type="submit">{texts.apply}</Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
