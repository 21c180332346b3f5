// The patterns of secrets: owners' and contributors' tokens, webhook secrets, the signature of a presigned URL, the
// password in a URL, and HTTP credentials. Anyone who reads such a secret can use it. The patterns are fixed, so that
// they apply from the first line of every process. A line of JSON is redacted as a whole, so `\n` may precede a secret
// and `\"` may follow it.
const SECRETS: ReadonlyArray<[pattern: RegExp, instead: string]> = [
  [/(api|prj|vr)_[0-9A-Za-z]{16,}/g, '$1_[redacted]'],
  [/whsec_[0-9A-Za-z+/=]{16,}/g, 'whsec_[redacted]'],
  [/(X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s"\\]+/gi, '$1[redacted]'],
  [/([a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*):[^\s/@"']+@/gi, '$1:[redacted]@'],
  [/(Bearer|Basic) +(?=\S*\d)[0-9A-Za-z._~+/=-]{8,}/gi, '$1 [redacted]'],
];

// A fast check, because this runs for each attribute of each span, and nearly no text has a secret.
const HINT = /(?:api|prj|vr|whsec)_|X-Amz-|:\/\/|Bearer|Basic/i;
// The percent-encoded characters that a URL may contain, without `"` and `\`, which would end a string in a line of
// JSON.
const BY_NUMBER = /%(2[013-9a-f]|[3467][0-9a-f]|5[0-9abd-f])/gi;
// A URL inside another URL is encoded once more at each level.
const DECODED_TIMES = 3;

/**
 * Returns `text` with every secret of a known form replaced, even a percent-encoded secret. A text with such a secret
 * is returned decoded.
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
