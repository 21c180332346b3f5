/**
 * Whether a request with this X-Forwarded-For came through the operator's `trustedProxies` proxies, of which there is at least
 * one. Each appends whom it got the request from: with fewer entries it did not come through all of them.
 */
export function cameThroughProxies(forwardedFor: string | string[] | undefined, trustedProxies: number): boolean {
  return trustedProxies > 0 && hopsOf(forwardedFor).length >= trustedProxies;
}

/** Returns the address that a request came from: the one that the outermost of the operator's proxies saw. */
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
