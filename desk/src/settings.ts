/** Text of the host: the same in all languages, or by their codes. */
export type HostText = string | Readonly<Record<string, string>>;

/** Title, logo, colour and welcome of the host; null for those of the desk. */
interface Look {
  readonly title: HostText | null;
  readonly logo: string | null;
  readonly colour: string;
  readonly welcome: HostText | null;
}

/** Settings that the server writes into the page. */
export interface Settings {
  /** Nonce of the page's style policy, which libraries need for the style elements that they insert. */
  readonly nonce: string;
  /** Path of the desk, such as `/desk`, without a slash at its end. */
  readonly base: string;
  /** Path of the content routes, such as `/api`. */
  readonly api: string;
  /** Whether editors sign in on the desk's own page. */
  readonly session: boolean;
  /** Page of the host where editors sign in, if they do not on the desk's own page. */
  readonly signIn: { readonly url: string } | null;
  readonly languages: readonly string[];
  readonly forgotPassword: boolean;
  /** Address of the ES module with the fields and screens of the host. */
  readonly extension: string | null;
  readonly look: Look;
}

function readSettings(): Settings {
  const element = document.getElementById('settings');
  return JSON.parse(element?.textContent ?? '{}') as Settings;
}

export const settings: Settings = readSettings();
