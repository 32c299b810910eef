import { useEffect } from 'react';

/** Shows the last page instead of one that has no rows any more, such as after a deletion. */
export function useLastPage(page: number, last: number | undefined, open: (page: number) => void): void {
  const isPast = last !== undefined && last > 0 && page > last;
  useEffect(() => {
    if (isPast) open(last);
  }, [isPast, last]);
}
