/**
 * Writes of this browser, told to all of its forms. A write of a shared value also changes the tags of other
 * languages. Their forms must not report that as a change of another editor.
 */
import { session } from '../api/session.ts';
import { settings } from '../settings.ts';

/** Tag of one version of a document, after and before a write; null for a version that did not exist. */
export interface VersionTag {
  readonly etag: string;
  readonly former: string | null;
}

interface OwnWrite {
  readonly type: string;
  readonly documentId: string;
  readonly versions: readonly VersionTag[];
}

interface Message extends OwnWrite {
  readonly user: string | null;
}

const NAME = `content-desk ${settings.base} writes`;
const sender = new BroadcastChannel(NAME);

const userOf = (): string | null => session.user?.documentId ?? null;

/** Tells the forms of all tabs about a write. */
export const tell = (write: OwnWrite): void =>
  sender.postMessage({ ...write, user: userOf() } satisfies Message);

/** Part of a tag that identifies the version. The rest depends on what the response contained. */
const stampOf = (tag: string): string => tag.replace(/^W\//, '').slice(1).split('-', 1)[0] ?? '';

/** Own writes of one document. */
export class OwnWrites {
  private readonly channel = new BroadcastChannel(NAME);
  /** Stamp of a version by its stamp before a write of this editor. */
  private readonly next = new Map<string, string>();

  constructor(
    private readonly isAbout: (write: OwnWrite) => boolean,
    heard: () => void,
  ) {
    this.channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.user !== userOf() || !this.isAbout(data)) return;
      for (const { former, etag } of data.versions)
        if (former !== null && former !== etag) this.next.set(stampOf(former), stampOf(etag));
      heard();
    });
  }

  /** Whether a version with this tag has changed by own writes since. */
  hasChanged(tag: string | null): boolean {
    return tag !== null && this.next.has(stampOf(tag));
  }

  /** Whether own writes alone lead from one tag of a version to another. */
  lead(from: string | null, to: string | null): boolean {
    if (from === null || to === null) return false;
    let stamp: string | undefined = stampOf(from);
    while (stamp !== undefined && stamp !== stampOf(to)) stamp = this.next.get(stamp);
    return stamp !== undefined;
  }

  close(): void {
    this.channel.close();
  }
}
