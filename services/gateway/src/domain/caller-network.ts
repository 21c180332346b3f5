const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const PREFIX_GROUPS = 4;

/**
 * Returns what limits know a caller by: an IPv4 address as it is, and the first 64 bits of an IPv6 address, as a caller who has one address
 * has all others with the same prefix. Connections that have ended have no address: they count as one.
 */
export function callerNetwork(address: string | undefined): string {
  if (!address?.includes(':')) return address ?? '';
  const mapped = MAPPED.exec(address);
  if (mapped) return mapped[1]!;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter(group => group !== '');
  const known = tail === undefined ? groups : [...groups, ...zeros(groups, tail), ...tail.split(':')];
  return `${known.slice(0, PREFIX_GROUPS).map(plain).join(':')}::/64`;
}

/** The groups that "::" stands for; an IPv4 address at the end is two groups. */
function zeros(groups: string[], tail: string): string[] {
  const after = tail.split(':').filter(group => group !== '');
  const count = after.length + (tail.includes('.') ? 1 : 0);
  return Array.from({ length: Math.max(0, 8 - groups.length - count) }, () => '0');
}

const plain = (group: string): string => Number.parseInt(group, 16).toString(16);
