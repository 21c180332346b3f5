import { type Bench, expectEqual } from '../row.ts';

/** The offset of an archive's last entry, and the archive's ETag at that time. */
export interface LastEntry {
  offset: number;
  etag: string;
}

type Request = { url: string; headers: Readonly<Record<string, string>> };

const HEADER = Buffer.from('PK\x03\x04', 'latin1');
const LIMIT_MS = 60_000;
const END_BYTES = 22;
const RECORD_BYTES = 46;

/** Finds the last entry through the archive's central directory, which is at its end. */
export async function lastEntryOf({ url, headers }: Request, { signal }: Pick<Bench, 'signal'>): Promise<LastEntry> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const head = await fetch(url, { method: 'HEAD', headers, signal: limit });
  expectEqual('the status of an archive', head.status, 200);
  const [length, etag] = [Number(head.headers.get('content-length')), head.headers.get('etag')!];
  const read = async (from: number, to: number) => {
    const answer = await fetch(url, {
      headers: { ...headers, 'if-range': etag, range: `bytes=${from}-${to - 1}` },
      signal: limit,
    });
    expectEqual('the status of a range', answer.status, 206);
    return Buffer.from(await answer.arrayBuffer());
  };
  const end = await read(length - END_BYTES, length);
  const [bytes, start] = [end.readUInt32LE(12), end.readUInt32LE(16)];
  const list = await read(start, start + bytes);
  let offset = 0;
  for (let at = 0; at < list.length; ) {
    offset = list.readUInt32LE(at + 42);
    at += RECORD_BYTES + list.readUInt16LE(at + 28) + list.readUInt16LE(at + 30) + list.readUInt16LE(at + 32);
  }
  const header = await read(offset, offset + HEADER.length);
  expectEqual('what the last entry begins with', header.toString('hex'), HEADER.toString('hex'));
  return { offset, etag };
}
