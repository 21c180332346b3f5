import { hash } from 'node:crypto';

/** Returns the ETag of a text: weak, because the text may be sent compressed. */
export const etagOfText = (text: string | Buffer): string => `W/"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
