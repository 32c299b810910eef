/** URLs of private files in answers: printed with a placeholder, and signed once an answer has been found. */
import { Injectable } from '@nestjs/common';
import { Answer } from './answer.js';
import { tagInWindow } from './etag.js';

/** How URLs are signed: by whoever keeps the files. */
export interface LinkSigner {
  /** Stands before URLs in answers, so that no text of a client's is taken for one: nobody can guess it. */
  readonly placeholder: string;
  /** How long every URL is good for at least, in seconds. */
  readonly seconds: number;
  /** Says which stretch of time it is: URLs that are signed in one are the same. */
  window(): number;
  /** The URL at which bytes can be read for a while; `key` is empty for those that are kept elsewhere. */
  sign(key: string, url: string): Promise<string>;
}

/** An answer as it is in a stretch of time. */
interface SignedAnswer {
  readonly window: number;
  readonly answer: Promise<Answer>;
}

/**
 * Signs the URLs of private files in answers, whatever they are populated in. Answers are kept and shared
 * without signatures; each is signed once in a stretch of time, which its tag tells from other ones.
 */
@Injectable()
export class SignedLinks {
  private signer: LinkSigner | null = null;
  private readonly signed = new WeakMap<Answer, SignedAnswer>();

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

  /** The answer with its URLs signed; itself where it has none. */
  async in(answer: Answer): Promise<Answer> {
    const { signer } = this;
    if (signer === null || !answer.data.includes(signer.placeholder)) return answer;
    const window = signer.window();
    const known = this.signed.get(answer);
    if (known?.window === window) return known.answer;
    const made = signedAnswer(answer, window, signer);
    this.signed.set(answer, { window, answer: made });
    return made;
  }
}

async function signedAnswer(answer: Answer, window: number, signer: LinkSigner): Promise<Answer> {
  const unsigned = new RegExp(`${signer.placeholder}([^|"]*)\\|([^"]*)`, 'g');
  const urls = new Map<string, string>();
  for (const [text, key = '', url = ''] of answer.data.matchAll(unsigned))
    if (!urls.has(text)) urls.set(text, await signer.sign(key, url));
  const data = answer.data.replace(unsigned, (text) => JSON.stringify(urls.get(text) ?? text).slice(1, -1));
  const { ETag: tag } = answer.head?.headers ?? {};
  const signed = answer.withData(data);
  return tag === undefined ? signed : signed.withHeaders({ ETag: tagInWindow(tag, window) });
}
