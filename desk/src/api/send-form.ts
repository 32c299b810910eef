/** Upload of a form with its progress, which `fetch` does not report. */
import { ApiError, OfflineError } from './errors.ts';
import { session } from './session.ts';
import { type WriteConditions, writeHeaders } from './write-headers.ts';

/** Number of 401 responses to one upload, each with a new token, after which it fails. */
const MAX_REFUSALS = 3;

export interface Sent extends WriteConditions {
  /** Share of the bytes that are sent, from 0 to 1. */
  readonly progress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Sends a form. Throws an ApiError for an error response, and an OfflineError without response. */
export async function sendForm<T>(path: string, form: FormData, sent: Sent = {}): Promise<T> {
  for (let refusals = 0; ; refusals += 1) {
    const authorization = await session.headers();
    const headers = { ...authorization, ...writeHeaders(sent) };
    const { status, text } = await post(path, form, { ...sent, headers });
    if (status === 401 && refusals < MAX_REFUSALS && (await session.refused(authorization))) continue;
    const body = parsed(text);
    if (status >= 400) throw new ApiError(status, (body as { error?: object } | null)?.error ?? {});
    if (body === null) throw new OfflineError(new Error('The response is not JSON'));
    return body as T;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

type Post = Sent & { readonly headers: Readonly<Record<string, string>> };

const post = (path: string, form: FormData, { headers, progress, signal }: Post): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open('POST', path);
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value);
    sending.setRequestHeader('Accept', 'application/json');
    sending.upload.onprogress = ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) progress?.(loaded / total);
    };
    sending.onload = () => resolve({ status: sending.status, text: sending.responseText });
    const interrupted = (): void => reject(new OfflineError(new Error('The upload was interrupted')));
    sending.onerror = interrupted;
    // Browsers abort requests, too, for example when a page begins to leave.
    sending.onabort = interrupted;
    signal?.addEventListener('abort', () => sending.abort());
    // It may have been aborted while the session was renewed.
    if (signal?.aborted === true) interrupted();
    else sending.send(form);
  });
