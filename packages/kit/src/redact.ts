// Owners' and contributors' tokens, and the signature of a presigned address: whoever reads them may act with them.
const TOKEN = /\b(api|prj|vr)_[0-9A-Za-z]{16,}/g;
const SIGNATURE = /(X-Amz-(?:Signature|Credential)=)[^&\s"]+/g;

/** `text` with every token and signature in it cut down to its kind. */
export const redact = (text: string): string => text.replace(TOKEN, '$1_[redacted]').replace(SIGNATURE, '$1[redacted]');
