import ipaddr from 'ipaddr.js';

/** Which webhook addresses are accepted. */
export interface AddressRules {
  /** Plain http is accepted beside https. */
  allowHttp: boolean;
  /** Loopback, private and other addresses that are not public are accepted. */
  allowPrivate: boolean;
}

// ISATAP keeps an IPv4 address, which may be a private one, in the lower half of any IPv6 prefix (RFC 5214).
const ISATAP = [0x0000, 0x0200];
const ISATAP_MARK = 0x5efe;
// Answers within one cloud alone: the agent of the machine that asks.
const AGENTS = new Set(['168.63.129.16']);
// Only 2000::/3 is global unicast today; anything outside it leads to an internal network or nowhere.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether `text`, an IP address without brackets, is one of the public internet. Every form that carries an IPv4 address
 * inside IPv6 (mapped, compatible, NAT64, 6to4, Teredo, ISATAP) is refused whatever it carries.
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

/** Returns the host of a URL as it is dialled: an IPv6 literal loses its brackets. */
export const dialledHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Returns why `url` is not dialled, as a phrase for the owner, or undefined when nothing in the text forbids it. A name's
 * addresses are checked later, where it is dialled. The URL parser has brought each spelling of an IPv4 address
 * (octal, hex, one number, full-width digits) into its plain form already.
 */
export function addressFault(url: string, rules: AddressRules): string | undefined {
  if (!URL.canParse(url)) return 'the address is not a URL';
  const { protocol, username, password, hostname, port } = new URL(url);
  if (protocol !== 'https:' && !(protocol === 'http:' && rules.allowHttp)) return 'the address is not https';
  if (username !== '' || password !== '') return 'the address carries a user name or password';
  // Node's client would take the default port for it.
  if (port === '0') return 'the address names port 0';
  const host = dialledHost(hostname);
  if (ipaddr.isValid(host) && !rules.allowPrivate && !isPublicAddress(host)) return NOT_PUBLIC;
  return undefined;
}

export const NOT_PUBLIC = 'the address is not a public one';
