/** List whose entries are moved by pointer or keyboard. A screen reader announces each move. */
import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  type KeyboardSensorProps,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { ActionIcon } from '@mantine/core';
import { IconGripVertical } from '@tabler/icons-react';
import { type CSSProperties, type ReactNode, useState } from 'react';
import { useTexts } from '../texts/texts.ts';

interface ListProps {
  readonly keys: readonly string[];
  readonly move: (from: number, to: number) => void;
  readonly children: ReactNode;
}

export const moved = <T,>(list: readonly T[], from: number, to: number): readonly T[] =>
  arrayMove([...list], from, to);

/** Moves an entry by keys as long as its handle has the focus: after that, keys are for another control. */
class HandleKeys extends KeyboardSensor {
  constructor(props: KeyboardSensorProps) {
    const ended = new AbortController();
    const ending = (report: 'onEnd' | 'onCancel') => (): void => {
      ended.abort();
      props[report]();
    };
    super({ ...props, onEnd: ending('onEnd'), onCancel: ending('onCancel') });
    const cancel = this['handleCancel'] as EventListener;
    props.event.target?.addEventListener('blur', cancel, { signal: ended.signal });
  }
}

export function SortableList({ keys, move, children }: ListProps) {
  const texts = useTexts();
  const [isCanceled, setCanceled] = useState(false);
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(HandleKeys, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const end = ({ active, over }: DragEndEvent): void => {
    if (over === null || active.id === over.id) return;
    const [from, to] = [keys.indexOf(String(active.id)), keys.indexOf(String(over.id))];
    // Other entries may have come during the drag.
    if (from !== -1 && to !== -1) move(from, to);
  };
  const placeOf = (id: unknown): string => texts.movedTo(keys.indexOf(String(id)) + 1, keys.length);
  const announcements: Announcements = {
    onDragStart: ({ active }) => placeOf(active.id),
    onDragOver: ({ over }) => (over === null ? undefined : placeOf(over.id)),
    onDragEnd: ({ over }) => (over === null ? undefined : placeOf(over.id)),
    onDragCancel: ({ active }) => placeOf(active.id),
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragStart={() => setCanceled(false)}
      onDragEnd={end}
      onDragCancel={() => setCanceled(true)}
      accessibility={{
        announcements,
        screenReaderInstructions: { draggable: texts.dragHint },
        // Another control has the focus, or the handle still has it.
        restoreFocus: !isCanceled,
      }}
    >
      <SortableContext items={keys as string[]} strategy={verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  );
}

interface EntryProps {
  readonly id: string;
  readonly title: string;
  readonly isFixed: boolean;
  readonly children: (handle: ReactNode) => ReactNode;
}

export function SortableEntry({ children, ...entry }: EntryProps) {
  const { handle, ref, style } = useEntry(entry);
  return (
    <div ref={ref} style={style}>
      {children(handle)}
    </div>
  );
}

/** Handle of an entry, and what its element needs to move. */
export function useEntry({ id, title, isFixed }: Omit<EntryProps, 'children'>) {
  const texts = useTexts();
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({
    id,
    disabled: isFixed,
  });
  const style: CSSProperties = {
    transform: CSS.Translate.toString(transform),
    transition,
    opacity: isDragging ? 0.6 : 1,
  };
  const handle = isFixed ? null : (
    <ActionIcon
      {...attributes}
      {...listeners}
      className="desk-drag"
      variant="subtle"
      color="gray"
      aria-label={texts.moveItem(title)}
    >
      <IconGripVertical size={16} />
    </ActionIcon>
  );
  return { handle, ref: setNodeRef, style };
}
