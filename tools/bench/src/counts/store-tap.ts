import { openTap, type Tap } from './tap.ts';

const REQUEST_LINE = /^(GET|HEAD|PUT|POST|DELETE) (\S+) HTTP\/1\.1$/;
const IDS = /[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g;

/** Starts a proxy in front of the object store that counts requests by method and the kind of key. */
export async function openStoreTap(endpoint: string): Promise<Tap> {
  const { hostname, port } = new URL(endpoint);
  const tap = await openTap({ hostname, port: Number(port) }, count => {
    // Reads only the start of each chunk, because it assumes that each request starts a new chunk.
    const fromClient = (chunk: Buffer) => {
      const line = chunk.toString('latin1', 0, Math.min(chunk.length, 2_000)).split('\r\n', 1)[0]!;
      const [, method, path = ''] = REQUEST_LINE.exec(line) ?? [];
      if (method) count(`${method} ${kindOf(path)}`);
    };
    return { fromClient };
  });
  return { ...tap, url: `http://${tap.address}` };
}

/** Returns the path without the bucket, the ids and the signature. Keeps the names of the other parameters. */
function kindOf(path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://store');
  const parameters = [...searchParams.keys()].filter(name => !name.startsWith('X-Amz-') && name !== 'x-id').sort();
  const key = pathname.split('/').slice(2).join('/').replace(IDS, '…');
  return parameters.length > 0 ? `${key}?${parameters.join('&')}` : key;
}
