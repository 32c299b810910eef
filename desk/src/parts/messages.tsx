/** Short messages about finished actions. They have their own place in the header, so they cover nothing. */
import { Text, VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useEffect, useSyncExternalStore } from 'react';
import { Observed } from '../editor/observed.ts';

/** Milliseconds for which a message is shown. */
const SHOWN = 5000;
/** Milliseconds for which a screen reader finds an announcement, which it reads when it appears. */
const ANNOUNCED = 1000;

class Messages extends Observed<{ readonly text: string }> {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly shown: number) {
    super({ text: '' });
  }

  say(text: string): void {
    clearTimeout(this.timer);
    this.show({ text });
    this.timer = setTimeout(() => this.clear(), this.shown);
  }

  clear(): void {
    clearTimeout(this.timer);
    this.show({ text: '' });
  }
}

const messages = new Messages(SHOWN);

/** Shows a message, instead of one that is shown. */
export const say = (text: string): void => messages.say(text);

const announcements = new Messages(ANNOUNCED);

/** Tells users of a screen reader what others see, such as a row that was added. */
export const announce = (text: string): void => announcements.say(text);

/** Removes an announcement of the former page. */
export const clearAnnouncement = (): void => announcements.clear();

/** Announces a text when it appears. A status that is inserted with its text is not announced everywhere. */
export function useAnnouncement(text: string | null): void {
  useEffect(() => {
    if (text !== null) announce(text);
  }, [text]);
}

function AnnouncementLine() {
  const { text } = useSyncExternalStore(announcements.subscribe, announcements.current);
  return <VisuallyHidden role="status">{text}</VisuallyHidden>;
}

export function MessageLine() {
  const { text } = useSyncExternalStore(messages.subscribe, messages.current);
  return (
    <>
      <Text className="desk-message" role="status" size="sm">
        {text !== '' && <IconCheck size={16} aria-hidden />}
        <span>{text}</span>
      </Text>
      <AnnouncementLine />
    </>
  );
}
