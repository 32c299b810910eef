/**
 * Signed URLs of private files in responses: statements print a placeholder, which is replaced after the
 * read.
 */
import { Injectable } from '@nestjs/common';
import { Answer } from './answer.js';
import { tagInWindow } from './etag.js';

export interface Window {
  readonly number: number;
  readonly until: number;
}

export interface LinkSigner {
  /** Unguessable prefix of URLs to sign, so that no text from a client is mistaken for one. */
  readonly placeholder: string;
  readonly seconds: number;
  window(): Window;
  /** Returns a URL that is valid for a limited time; `key` is empty for a file that is stored elsewhere. */
  sign(key: string, url: string): Promise<string>;
}

export interface SignedAnswer {
  readonly answer: Answer;
  readonly until: number;
}

/**
 * Signs the URLs of private files in responses, at any depth of population. A response may be cached until
 * its signing period ends, and its ETag differs between periods.
 */
@Injectable()
export class SignedLinks {
  private signer: LinkSigner | null = null;

  use(signer: LinkSigner): void {
    this.signer = signer;
  }

  get placeholder(): string | null {
    return this.signer?.placeholder ?? null;
  }

  get seconds(): number | null {
    return this.signer?.seconds ?? null;
  }

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
  // Matches a URL in JSON text, even one that the application wrote into a row itself.
  const unsigned = new RegExp(`${signer.placeholder}([^|"\\\\]*)\\|((?:[^"\\\\]|\\\\.)*)`, 'g');
  const urls = new Map<string, string>();
  for (const [text, key = '', url = ''] of data.matchAll(unsigned))
    if (!urls.has(text)) urls.set(text, await signer.sign(key, String(JSON.parse(`"${url}"`))));
  return data.replace(unsigned, (text) => JSON.stringify(urls.get(text) ?? text).slice(1, -1));
}
