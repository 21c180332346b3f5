// Owners' and contributors' tokens, what webhooks are signed with, the signature of a presigned URL, the password in an address,
// and what a client authenticates with: anyone who reads them can use them. A line of JSON is redacted as it is, so that `\n` may stand before
// a secret and `\"` after it.
const SECRETS: ReadonlyArray<[pattern: RegExp, instead: string]> = [
  [/(api|prj|vr)_[0-9A-Za-z]{16,}/g, '$1_[redacted]'],
  [/whsec_[0-9A-Za-z+/=]{16,}/g, 'whsec_[redacted]'],
  [/(X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s"\\]+/gi, '$1[redacted]'],
  [/([a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*):[^\s/@"']+@/gi, '$1:[redacted]@'],
  [/(Bearer|Basic) +(?=\S*\d)[0-9A-Za-z._~+/=-]{8,}/gi, '$1 [redacted]'],
];

// Nearly every text has none, and is looked through once: this runs for each attribute of each span.
const HINT = /(?:api|prj|vr|whsec)_|X-Amz-|:\/\/|Bearer|Basic/i;
// What may stand in an address as it is, or by its number. A quotation mark or a backslash would end a text in a line of JSON.
const BY_NUMBER = /%(2[013-9a-f]|[3467][0-9a-f]|5[0-9abd-f])/gi;
// Each time it was put into another address, its % was written by its number once more.
const DECODED_TIMES = 3;

/**
 * Returns `text` with every secret in it that can be told by its form reduced to what comes before it. One of which characters are percent-encoded opens
 * the same door: a text that has one is returned decoded.
 */
export function redact(text: string): string {
  let plain = text;
  for (let times = 0; times < DECODED_TIMES && plain.includes('%'); times += 1) {
    const decoded = plain.replace(BY_NUMBER, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (decoded === plain) break;
    plain = decoded;
  }
  if (plain !== text) {
    const redacted = withoutSecrets(plain);
    if (redacted !== plain) return redacted;
  }
  return withoutSecrets(text);
}

const withoutSecrets = (text: string): string =>
  HINT.test(text) ? SECRETS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text) : text;
