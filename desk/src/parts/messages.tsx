/** Short messages about actions that have ended. Their place in the header covers nothing. */
import { Text, VisuallyHidden } from '@mantine/core';
import { IconAlertCircle, IconCheck } from '@tabler/icons-react';
import { useEffect, useSyncExternalStore } from 'react';
import { Observed } from '../editor/observed.ts';

/** Time that a message is shown, in milliseconds. */
const SHOWN = 5000;
/** Milliseconds for which a screen reader finds an announcement, which it reads when it appears. */
const ANNOUNCED = 1000;

interface Shown {
  readonly text: string;
  readonly isFailure: boolean;
}

class Messages extends Observed<Shown> {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly shown: number) {
    super({ text: '', isFailure: false });
  }

  say(text: string, isFailure = false): void {
    clearTimeout(this.timer);
    this.show({ text, isFailure });
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

/** Shows a message about an action that has failed, which nothing else on the page says. */
export const sayFailure = (text: string): void => messages.say(text, true);

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
  const { text, isFailure } = useSyncExternalStore(messages.subscribe, messages.current);
  const Icon = isFailure ? IconAlertCircle : IconCheck;
  return (
    <>
      <Text className="desk-message" role="status" size="sm" c={isFailure ? 'var(--desk-alarm)' : undefined}>
        {text !== '' && <Icon size={16} aria-hidden />}
        <span>{text}</span>
      </Text>
      <AnnouncementLine />
    </>
  );
}
