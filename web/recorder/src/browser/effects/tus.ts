import { pagePath } from '@recording-request/web-shared/browser/page';
import { Refusal, request } from '@recording-request/web-shared/browser/requests';

// The part of tus 1.0 (https://tus.io/protocols/resumable-upload) that a growing take needs. Not tus-js-client: it declares the
// length only with the last bytes, and here the length is declared first, because declaring it is sending.

const VERSION = { 'Tus-Resumable': '1.0.0' };
const OCTETS = 'application/offset+octet-stream';
const PATCH_LIMIT_MS = 90_000;

const encode = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** Resolves to the upload's address. */
export async function createUpload(metadata: Record<string, string>): Promise<string> {
  const answer = await request(`${pagePath}/uploads`, {
    method: 'POST',
    headers: {
      ...VERSION,
      'Upload-Defer-Length': '1',
      'Upload-Metadata': Object.entries(metadata)
        .map(([name, value]) => `${name} ${encode(value)}`)
        .join(','),
    },
  });
  const address = answer.headers.get('Location');
  if (!address) throw new Refusal(502);
  return address;
}

/** How far the server is, and the length that it was told: with one the take counts as sent. */
export async function headUpload(url: string): Promise<{ offset: number; length: number | undefined }> {
  const { headers } = await request(url, { method: 'HEAD', headers: VERSION });
  const length = headers.get('Upload-Length');
  return { offset: Number(headers.get('Upload-Offset')), length: length === null ? undefined : Number(length) };
}

/** What the server answered to the bytes: how far it is, or that the take has landed or is landing. */
export interface Patched {
  offset: number;
  landed?: { complete: boolean };
}

/** Sends bytes, and the whole length where it is given. */
export async function patchUpload(url: string, offset: number, bytes: Blob, length?: number): Promise<Patched> {
  const headers: Record<string, string> = { ...VERSION, 'Upload-Offset': String(offset), 'Content-Type': OCTETS };
  if (length !== undefined) headers['Upload-Length'] = String(length);
  const answer = await request(url, { method: 'PATCH', headers, body: bytes }, PATCH_LIMIT_MS);
  const reached = Number(answer.headers.get('Upload-Offset') ?? offset + bytes.size);
  if (answer.status !== 200) return { offset: reached };
  const body = (await answer.json()) as { submissionId?: string; complete?: boolean };
  return { offset: reached, ...(body.submissionId ? { landed: { complete: body.complete === true } } : {}) };
}

/** Ends an upload that will not be sent. What is not ended is deleted by the server in time. */
export function endUpload(url: string): void {
  fetch(url, { method: 'DELETE', headers: VERSION, keepalive: true }).catch(() => {});
}
