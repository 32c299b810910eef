/** URLs of private files in answers: printed with a placeholder, and signed once an answer has been found. */
import { Injectable } from '@nestjs/common';
import { Answer } from './answer.js';
import { tagInWindow } from './etag.js';

/** A stretch of time. */
export interface Window {
  readonly number: number;
  /** When the next one begins, in milliseconds since 1970. */
  readonly until: number;
}

/** How URLs are signed: by whoever keeps the files. */
export interface LinkSigner {
  /** Stands before URLs in answers, so that no text of a client's is taken for one: nobody can guess it. */
  readonly placeholder: string;
  /** How long every URL is good for at least, in seconds. */
  readonly seconds: number;
  /** The stretch of time that it is: URLs that are signed in one are the same. */
  window(): Window;
  /** The URL at which bytes can be read for a while; `key` is empty for those that are kept elsewhere. */
  sign(key: string, url: string): Promise<string>;
}

/** An answer as it is sent. */
export interface SignedAnswer {
  readonly answer: Answer;
  /** From when on it has to be signed anew, in milliseconds since 1970. */
  readonly until: number;
}

/**
 * Signs the URLs of private files in answers, whatever they are populated in. The stretch of time in which an
 * answer was signed is the one for which it may be kept, and which its tag tells from other ones.
 */
@Injectable()
export class SignedLinks {
  private signer: LinkSigner | null = null;

  /** Has URLs signed from now on; to be called before the first request. */
  use(signer: LinkSigner): void {
    this.signer = signer;
  }

  /** What stands before URLs that are to be signed; null where none are. */
  get placeholder(): string | null {
    return this.signer?.placeholder ?? null;
  }

  /** For how many seconds signed URLs can be relied on; null where none are signed. */
  get seconds(): number | null {
    return this.signer?.seconds ?? null;
  }

  /** The answer with its URLs signed; itself, for ever, where it has none. */
  async in(answer: Answer): Promise<SignedAnswer> {
    const { signer } = this;
    if (signer === null || !answer.data.includes(signer.placeholder)) return { answer, until: Infinity };
    const window = signer.window();
    const signed = answer.withData(await signedText(answer.data, signer));
    const { ETag: tag } = answer.head?.headers ?? {};
    if (tag === undefined) return { answer: signed, until: window.until };
    return { answer: signed.withHeaders({ ETag: tagInWindow(tag, window.number) }), until: window.until };
  }
}

async function signedText(data: string, signer: LinkSigner): Promise<string> {
  // A URL as JSON has it: whatever a host has written into a row.
  const unsigned = new RegExp(`${signer.placeholder}([^|"\\\\]*)\\|((?:[^"\\\\]|\\\\.)*)`, 'g');
  const urls = new Map<string, string>();
  for (const [text, key = '', url = ''] of data.matchAll(unsigned))
    if (!urls.has(text)) urls.set(text, await signer.sign(key, JSON.parse(`"${url}"`) as string));
  return data.replace(unsigned, (text) => JSON.stringify(urls.get(text) ?? text).slice(1, -1));
}
