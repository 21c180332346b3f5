/**
 * Whether a request with this X-Forwarded-For came through the operator's `trustedProxies` proxies, of which there is at least
 * one. Each appends whom it got the request from: with fewer entries it did not come through all of them.
 */
export function cameThroughProxies(forwardedFor: string | string[] | undefined, trustedProxies: number): boolean {
  const hops = String(forwardedFor ?? '')
    .split(',')
    .filter(hop => hop.trim() !== '');
  return trustedProxies > 0 && hops.length >= trustedProxies;
}
