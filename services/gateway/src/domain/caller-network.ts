const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const PREFIX_GROUPS = 4;

/**
 * Returns the key of a caller for limits: the IPv4 address, or the first 64 bits of an IPv6 address, because a caller
 * with one address usually has all addresses of that prefix. Ended connections have no address: they count as one
 * caller.
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

/** Returns the groups that "::" stands for; an IPv4 address at the end counts as two groups. */
function zeros(groups: string[], tail: string): string[] {
  const after = tail.split(':').filter(group => group !== '');
  const count = after.length + (tail.includes('.') ? 1 : 0);
  return Array.from({ length: Math.max(0, 8 - groups.length - count) }, () => '0');
}

const plain = (group: string): string => Number.parseInt(group, 16).toString(16);
