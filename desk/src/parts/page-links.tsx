/** Links to the pages of a list. */
import { Pagination } from '@mantine/core';
import { useTexts } from '../texts/texts.ts';

interface Props {
  /** Number of pages. */
  readonly total: number;
  readonly page: number;
  readonly open: (page: number) => void;
}

export function PageLinks({ total, page, open }: Props) {
  const texts = useTexts();
  return (
    <Pagination
      total={total}
      value={page}
      onChange={open}
      size="sm"
      getItemProps={(at) => ({ 'aria-label': texts.page(at) })}
      getControlProps={(control) => ({ 'aria-label': texts.pages(control) })}
    />
  );
}
