/** Returns an address as a link stores it; null for a value that the API does not accept as a link. */
export function linkable(address: string): string | null {
  const url = address.trim();
  if (/^(?:mailto|tel):\S+$/i.test(url) || /^[/#]\S*$/.test(url)) return url;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  const { href, hostname } = new URL(url);
  return hostname === '' ? null : href;
}

export const isLinkable = (address: string): boolean => linkable(address) !== null;

const NO_PROTOCOL = /^(?:ftp:\/\/|(?=[^\s:/?#@.][^\s:/?#@]*(?:[/?#]|$)))/i;

/** Whether the API accepts an address as a link: also one of FTP, or of the web without its protocol. */
export const isStorable = (address: string): boolean => isLinkable(address.replace(NO_PROTOCOL, 'https://'));
