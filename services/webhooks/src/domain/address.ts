import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** Accepts plain http as well as https. */
  allowHttp: boolean;
  /** Accepts loopback, private and other non-public addresses. */
  allowPrivate: boolean;
}

// ISATAP has an IPv4 address, which may be private, in the lower half of any IPv6 prefix (RFC 5214).
const ISATAP = [0x0000, 0x0200];
const ISATAP_MARK = 0x5efe;
// The address of a cloud's host agent, which can be reached only from within that cloud.
const AGENTS = new Set(['168.63.129.16']);
// Only 2000::/3 is global unicast today. Other addresses lead to an internal network or nowhere.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns whether `text`, an IP address without brackets, is public. Refuses every IPv6 form that contains an IPv4
 * address (mapped, compatible, NAT64, 6to4, Teredo, ISATAP), even if the IPv4 address is public.
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

/** Returns the host of a URL in the form for connecting: without the brackets of an IPv6 address. */
export const dialledHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Returns the reason to refuse `url`, as a phrase for the owner; undefined when there is none. The addresses of a name
 * are checked later, when the service connects. The URL parser has already normalized each spelling of an IPv4 address
 * (octal, hex, one number, full-width digits).
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
