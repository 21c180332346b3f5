import { pagePath } from '@recording-request/web-shared/browser/page';
import { Refusal, request } from '@recording-request/web-shared/browser/requests';

// The part of tus 1.0 (https://tus.io/protocols/resumable-upload) for a growing take. tus-js-client declares the length
// with the last bytes. This client declares it before them, because the declaration means that the contributor has
// pressed Send.

const VERSION = { 'Tus-Resumable': '1.0.0' };
const OCTETS = 'application/offset+octet-stream';
const PATCH_LIMIT_MS = 90_000;

const encode = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** Creates an upload and returns its URL. */
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

/** Returns the server's offset and the declared length. With a declared length, the take counts as sent. */
export async function headUpload(url: string): Promise<{ offset: number; length: number | undefined }> {
  const { headers } = await request(url, { method: 'HEAD', headers: VERSION });
  const length = headers.get('Upload-Length');
  return { offset: Number(headers.get('Upload-Offset')), length: length === null ? undefined : Number(length) };
}

/** The server's answer to a PATCH: the server's offset, or that the take has landed or is landing. */
export interface Patched {
  offset: number;
  landed?: { complete: boolean };
}

/** Sends bytes, and the total length if given. */
export async function patchUpload(url: string, offset: number, bytes: Blob, length?: number): Promise<Patched> {
  const headers: Record<string, string> = { ...VERSION, 'Upload-Offset': String(offset), 'Content-Type': OCTETS };
  if (length !== undefined) headers['Upload-Length'] = String(length);
  const answer = await request(url, { method: 'PATCH', headers, body: bytes }, PATCH_LIMIT_MS);
  const reached = Number(answer.headers.get('Upload-Offset') ?? offset + bytes.size);
  if (answer.status !== 200) return { offset: reached };
  const body = (await answer.json()) as { submissionId?: string; complete?: boolean };
  return { offset: reached, ...(body.submissionId ? { landed: { complete: body.complete === true } } : {}) };
}

/** Ends an upload that the contributor will not send. The server deletes all other unsent uploads when they expire. */
export function endUpload(url: string): void {
  fetch(url, { method: 'DELETE', headers: VERSION, keepalive: true }).catch(() => {});
}
