import { type HotkeyItem, useHotkeys } from '@mantine/hooks';

/**
 * Acts on keys with Ctrl or Cmd, such as `mod+S`, also in inputs. A letter that is not Latin, such as one of
 * a Hebrew keyboard, counts as the Latin letter of its key.
 */
export function usePageKeys(keys: Readonly<Record<string, () => void>>, isInRichText = false): void {
  const items = Object.entries(keys).flatMap(([key, act]): HotkeyItem[] => {
    const actByPlace = (event: KeyboardEvent): void => {
      // Latin keyboards name their keys, wherever these are.
      if (event.key <= '\u007F') return;
      event.preventDefault();
      act();
    };
    return [
      [key, act],
      [key, actByPlace, { usePhysicalKeys: true, preventDefault: false }],
    ];
  });
  useHotkeys(items, [], isInRichText);
}
