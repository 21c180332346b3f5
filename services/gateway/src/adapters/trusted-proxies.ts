import { BlockList, isIP } from 'node:net';

type ForwardedFor = string | string[] | undefined;

/** The operator's proxies in front of the gateway. */
export interface TrustedProxies {
  /** True if the operator trusts any proxy. */
  areSet: boolean;
  /** The number of proxies that each request passes; undefined if the operator gave their addresses instead. */
  count: number | undefined;
  /**
   * Returns whether the operator's proxies include the peer at this hop. Hop 0 is the peer of the connection; the next
   * hops are the entries of X-Forwarded-For, from its end. A client can forge the entries at the start.
   */
  trusts(address: string, hop: number): boolean;
}

const COUNT_MAX = 10;
const PRIVATE = blockListOf([
  ...['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['::1/128', 'fc00::/7', 'fe80::/10'],
])!;

/** Parses a number of proxies, or a list of addresses and ranges; returns undefined for other texts. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  if (/^\d+$/.test(text)) {
    const count = Number(text);
    return count <= COUNT_MAX ? { areSet: count > 0, count, trusts: (_address, hop) => hop < count } : undefined;
  }
  const addresses = blockListOf(text.split(',').map(each => each.trim()));
  return addresses && { areSet: true, count: undefined, trusts: address => contains(addresses, address) };
}

/** Returns undefined if a text is not an address or a range, or is a range of all addresses. */
function blockListOf(texts: string[]): BlockList | undefined {
  const list = new BlockList();
  for (const text of texts) {
    const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
    const version = isIP(address);
    const bits = version === 6 ? 128 : 32;
    const prefix = length === undefined ? bits : Number(length);
    if (version === 0 || prefix < 1 || prefix > bits) return undefined;
    list.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Also finds an IPv4 address in IPv6 form: a socket for both families reports it in this form. */
function contains(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Returns whether a request came through the operator's proxies. With a number: each proxy appends the address of its
 * client to X-Forwarded-For, so a request with fewer entries did not pass all of them. With a list: the peer is one of
 * the proxies.
 */
export function cameThroughProxies(proxies: TrustedProxies, peer: string, forwardedFor: ForwardedFor): boolean {
  if (proxies.count === undefined) return proxies.trusts(peer, 0);
  return proxies.areSet && hopsOf(forwardedFor).length >= proxies.count;
}

/** Returns the address from which a request came, as the outermost of the operator's proxies saw it. */
export function callerAddress(proxies: TrustedProxies, peer: string, forwardedFor: ForwardedFor): string {
  const addresses = [peer, ...hopsOf(forwardedFor).reverse()];
  return addresses.find((address, hop) => !proxies.trusts(address, hop)) ?? addresses.at(-1)!;
}

/** Returns the sign in a request that TRUSTED_PROXIES is probably wrong; undefined if there is no sign. */
export function proxyFault(
  proxies: TrustedProxies,
  peer: string,
  forwardedFor: ForwardedFor,
): { name: 'bypassed' | 'unknown'; sentence: string } | undefined {
  const { length } = hopsOf(forwardedFor);
  const { count = 0 } = proxies;
  if (length < count)
    return {
      name: 'bypassed',
      sentence: `A request has ${length} entries in X-Forwarded-For, fewer than TRUSTED_PROXIES (${count}): the number is too high, or a client bypasses a proxy`,
    };
  if (length > 0 && !proxies.trusts(peer, 0) && contains(PRIVATE, peer))
    return {
      name: 'unknown',
      sentence:
        'A peer with a private address sends X-Forwarded-For but is not one of TRUSTED_PROXIES: if it is your proxy, all its clients count as one address',
    };
  return undefined;
}

/** Returns the entries of X-Forwarded-For. The last entry is from the last proxy. */
export const hopsOf = (forwardedFor: ForwardedFor): string[] =>
  String(forwardedFor ?? '')
    .split(',')
    .map(hop => hop.trim())
    .filter(hop => hop !== '');
