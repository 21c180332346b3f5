const LIMIT_MS = 90_000;

/** Sends one tus request, without a client library that would hide details. */
export function tusRequest(
  url: string,
  method: string,
  headers: Record<string, string> = {},
  body?: Uint8Array,
): Promise<Response> {
  return fetch(url, {
    method,
    headers: {
      'Tus-Resumable': '1.0.0',
      ...(method === 'PATCH' ? { 'Content-Type': 'application/offset+octet-stream' } : {}),
      ...headers,
    },
    body: body && new Uint8Array(body),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
}

/** Returns the value of Upload-Metadata. */
export const tusMetadata = (fields: Record<string, string | number>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(String(value)).toString('base64')}`)
    .join(',');

export interface CreateUploadOptions {
  metadata: Record<string, string | number>;
  /** The length in bytes; deferred when absent. */
  length?: number;
  /** The bytes to send with the creation. */
  body?: Uint8Array;
  headers?: Record<string, string>;
}

/**
 * Sends the request that creates an upload. `url` is the absolute Location of the answer, `id` its last segment; both are empty
 * without a Location.
 */
export async function createUpload(
  uploadsUrl: string,
  { metadata, length, body, headers }: CreateUploadOptions,
): Promise<{ response: Response; url: string; id: string }> {
  const lengthHeader: Record<string, string> =
    length === undefined ? { 'Upload-Defer-Length': '1' } : { 'Upload-Length': String(length) };
  const response = await tusRequest(
    uploadsUrl,
    'POST',
    {
      ...headers,
      ...lengthHeader,
      ...(body ? { 'Content-Type': 'application/offset+octet-stream' } : {}),
      'Upload-Metadata': tusMetadata(metadata),
    },
    body,
  );
  const location = response.headers.get('location');
  const url = location ? new URL(location, uploadsUrl).href : '';
  return { response, url, id: url.split('/').at(-1) ?? '' };
}
