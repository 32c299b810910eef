/** Screens of stored versions: the history of a document, and the trash of a type. */
import type { Type } from '../../model/model.ts';
import { HistoryScreen } from './history.tsx';
import { TrashScreen } from './trash.tsx';

interface Props {
  readonly screen: 'history' | 'trash';
  readonly type: Type;
  readonly documentId: string | null;
}

export default function HistoryScreens({ screen, type, documentId }: Props) {
  return screen === 'trash' ? <TrashScreen type={type} /> : <HistoryScreen {...{ type, documentId }} />;
}
