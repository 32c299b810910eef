/** Longest address of the web that the API accepts. */
const MAX_LENGTH = 2084;

/** Addresses that are not of the web. The API accepts their schemes in lower case only. */
const NO_WEB = /^(?:(?:mailto|tel):\S+|[/#]\S*)$/;

/** Returns an address as a link stores it; null for a value that the API does not accept as a link. */
export function linkable(address: string): string | null {
  const url = address.trim().replace(/^(?:mailto|tel):/i, (scheme) => scheme.toLowerCase());
  if (NO_WEB.test(url)) return url;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  const { href, hostname } = new URL(url);
  return hostname === '' || href.length > MAX_LENGTH ? null : href;
}

/** The API reads a scheme of mail in upper case as a user name of the web. */
const NO_PROTOCOL = /^(?:ftp:\/\/|mailto:(?=[\w.-]+@)|(?=[^\s:/?#@.][^\s:/?#@]*(?:[/?#]|$)))/i;

/** Whether the API accepts an address as it is: also one of FTP, or of the web without its protocol. */
export const isStorable = (address: string): boolean =>
  NO_WEB.test(address) ||
  (address.length <= MAX_LENGTH &&
    linkable(address.replace(NO_PROTOCOL, 'https://'))?.startsWith('http') === true);
