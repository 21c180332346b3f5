// Owners' and contributors' tokens, what webhooks are signed with, the signature of a presigned URL, the password in an address,
// and what a client authenticates with: anyone who reads them can use them. A line of JSON is redacted as it is, so that `\n` may stand before
// a secret and `\"` after it.
const SECRETS: ReadonlyArray<[pattern: RegExp, instead: string]> = [
  [/(api|prj|vr)_[0-9A-Za-z]{16,}/g, '$1_[redacted]'],
  [/whsec_[0-9A-Za-z+/=]{16,}/g, 'whsec_[redacted]'],
  [/(X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s"\\]+/g, '$1[redacted]'],
  [/([a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*):[^\s/@"']+@/gi, '$1:[redacted]@'],
  [/(Bearer|Basic) +(?=\S*\d)[0-9A-Za-z._~+/=-]{8,}/gi, '$1 [redacted]'],
];

// Nearly every text has none, and is looked through once: this runs for each attribute of each span.
const HINT = /(?:api|prj|vr|whsec)_|X-Amz-|:\/\/|[Bb]earer|[Bb]asic|BEARER|BASIC/;

/** Returns `text` with every secret in it that can be told by its form reduced to what comes before it. */
export const redact = (text: string): string =>
  HINT.test(text) ? SECRETS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text) : text;
