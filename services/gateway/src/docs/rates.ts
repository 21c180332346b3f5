import type { Config } from '../config.ts';

const said = (limit: number) => limit.toLocaleString('en-US');

type Rates = Pick<
  Config,
  'rateLimitTokenPerMinute' | 'rateLimitAddressPerMinute' | 'rateLimitContributorPerMinute' | 'bodyLimitBytes'
>;

/** Returns the rate limits of this deployment, for docs.md and openapi.json. */
export const ratesSentence = (rates: Rates): string =>
  `At most ${said(rates.rateLimitTokenPerMinute)} requests a minute for a token, ${said(rates.rateLimitAddressPerMinute)} for an address on routes without a token, and ${said(rates.rateLimitContributorPerMinute)} for an address in requests that a recorder sends by itself. Further requests are 429 with Retry-After. Uploads do not count. A JSON body has at most ${said(rates.bodyLimitBytes)} bytes.`;
