import { hash } from 'node:crypto';

/** Returns the ETag of a text. It is weak, because the gateway may send the text compressed. */
export const etagOfText = (text: string | Buffer): string => `W/"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
