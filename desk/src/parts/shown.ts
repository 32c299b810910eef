import { type RefObject, useEffect, useRef } from 'react';

/** Whether the component is still on the page, for work that ends later. */
export function useShown(): RefObject<boolean> {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
