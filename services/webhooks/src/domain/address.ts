import ipaddr from 'ipaddr.js';

/** The rules for webhook addresses. */
export interface AddressRules {
  /** Accepts plain http as well as https. */
  allowHttp: boolean;
  /** Accepts loopback, private and other non-public addresses. */
  allowPrivate: boolean;
}

// ISATAP keeps an IPv4 address, which may be a private one, in the lower half of any IPv6 prefix (RFC 5214).
const ISATAP = [0x0000, 0x0200];
const ISATAP_MARK = 0x5efe;
// The address of a cloud's host agent; it is reachable only from within that cloud.
const AGENTS = new Set(['168.63.129.16']);
// Only 2000::/3 is global unicast today; anything outside it leads to an internal network or nowhere.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns whether `text`, an IP address without brackets, is public. Refuses every IPv6 form that embeds an IPv4 address
 * (mapped, compatible, NAT64, 6to4, Teredo, ISATAP), whatever the IPv4 address is.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast' || AGENTS.has(address.toString())) return false;
  if (address.kind() === 'ipv4') return true;
  const { parts } = address as ipaddr.IPv6;
  const isatap = ISATAP.includes(parts[4]!) && parts[5] === ISATAP_MARK;
  return (address as ipaddr.IPv6).match(GLOBAL_UNICAST) && !isatap;
}

/** Returns the host of a URL as the client dials it: an IPv6 literal loses its brackets. */
export const dialledHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Returns the reason to refuse `url`, as a phrase for the owner, or undefined. The addresses of a name are checked later, at
 * the dial. The URL parser has already normalized each spelling of an IPv4 address (octal, hex, one number, full-width digits).
 */
export function addressFault(url: string, rules: AddressRules): string | undefined {
  if (!URL.canParse(url)) return 'the address is not a URL';
  const { protocol, username, password, hostname, port } = new URL(url);
  if (protocol !== 'https:' && !(protocol === 'http:' && rules.allowHttp)) return 'the address is not https';
  if (username !== '' || password !== '') return 'the address carries a user name or password';
  // Node's client would replace port 0 with the default port.
  if (port === '0') return 'the address names port 0';
  const host = dialledHost(hostname);
  if (ipaddr.isValid(host) && !rules.allowPrivate && !isPublicAddress(host)) return NOT_PUBLIC;
  return undefined;
}

export const NOT_PUBLIC = 'the address is not a public one';
