/**
 * Returns whether a request with this X-Forwarded-For came through the operator's `trustedProxies` proxies (at least
 * one). Each proxy appends the address of its client, so a header with fewer entries did not pass all of them.
 */
export function cameThroughProxies(forwardedFor: string | string[] | undefined, trustedProxies: number): boolean {
  return trustedProxies > 0 && hopsOf(forwardedFor).length >= trustedProxies;
}

/** Returns the address from which a request came, as the outermost of the operator's proxies saw it. */
export function callerAddress(
  remoteAddress: string,
  forwardedFor: string | string[] | undefined,
  trustedProxies: number,
): string {
  const addresses = [remoteAddress, ...hopsOf(forwardedFor).reverse()];
  return addresses[Math.min(trustedProxies, addresses.length - 1)]!;
}

const hopsOf = (forwardedFor: string | string[] | undefined): string[] =>
  String(forwardedFor ?? '')
    .split(',')
    .map(hop => hop.trim())
    .filter(hop => hop !== '');
