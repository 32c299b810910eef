/** Addresses that webhooks may reach: private, local and reserved networks are refused unless allowed. */
import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, isIPv4 } from 'node:net';

/** Networks that are not public, from the registries of special-purpose addresses of IANA. */
const RESERVED_NETWORKS: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Everything but 2000::/3, which alone has public addresses.
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  // Addresses that contain an IPv4 address: the network behind them may be private.
  '2002::/16',
];

const NETWORK = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

type Family = ReturnType<typeof familyOf>;

/** Lists by family: one list for both compares an IPv4 address with the networks of mapped addresses, too. */
type Networks = Readonly<Record<Family, BlockList>>;

function listsOf(networks: readonly string[]): Networks {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [, address = '', bits = ''] = NETWORK.exec(network) ?? [];
    const family = familyOf(address);
    lists[family].addSubnet(address, Number(bits), family);
  }
  return lists;
}

const contains = (networks: Networks, address: string): boolean => {
  const family = familyOf(address);
  return networks[family].check(address, family);
};

/** Whether a text is an address and the number of its fixed bits, such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [, address = '', bits = ''] = NETWORK.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits) <= (family === 4 ? 32 : 128);
}

const RESERVED_LISTS = listsOf(RESERVED_NETWORKS);

/** Error of a host that resolves to no allowed address. */
export class RefusedAddress extends Error {}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

export class PublicAddresses {
  private readonly hosts: ReadonlySet<string>;
  private readonly networks: Networks;

  /** `allowed` lists host names and networks that are reached although they are not public. */
  constructor(allowed: readonly string[]) {
    this.hosts = new Set(allowed.filter((one) => !isNetwork(one)).map((one) => one.toLowerCase()));
    this.networks = listsOf(allowed.filter(isNetwork));
  }

  allows(address: string): boolean {
    return !contains(RESERVED_LISTS, address) || contains(this.networks, address);
  }

  /** Throws a RefusedAddress if the host of a URL is an address that is not allowed. */
  check({ hostname }: URL): void {
    const address = hostname.replace(/^\[|\]$/g, '');
    if (isIP(address) !== 0 && !this.allows(address) && !this.hosts.has(address))
      throw new RefusedAddress(`${address} is not a public address`);
  }

  /**
   * Lookup for connections: it resolves the host when the connection is made, and returns only allowed
   * addresses. A name that changes its address after a check gains nothing.
   */
  readonly lookup = (hostname: string, options: LookupOptions, found: LookupCallback): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return found(error, []);
      const isAllowed = this.hosts.has(hostname.toLowerCase());
      const usable = addresses.filter(({ address }) => isAllowed || this.allows(address));
      const [first] = usable;
      if (first === undefined) return found(new RefusedAddress(`${hostname} has no public address`), []);
      return options.all === true ? found(null, usable) : found(null, first.address, first.family);
    });
  };
}
