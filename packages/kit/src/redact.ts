// Owners' and contributors' tokens, and the signature of a presigned URL: anyone who reads them can use them.
const TOKEN = /\b(api|prj|vr)_[0-9A-Za-z]{16,}/g;
const SIGNATURE = /(X-Amz-(?:Signature|Credential)=)[^&\s"]+/g;

/** Returns `text` with every token and signature in it reduced to its prefix. */
export const redact = (text: string): string => text.replace(TOKEN, '$1_[redacted]').replace(SIGNATURE, '$1[redacted]');
