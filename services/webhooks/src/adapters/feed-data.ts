import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { SecretBox } from '@recording-request/kit/secret-box';
import { sealedFor } from '../domain/sealing.ts';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

// The largest transcript has 900 kB, so a valid event is far below this size.
const DATA_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Compresses and seals the JSON of an event's data. Compressed, the data of the longest transcript fits into a Kafka
 * record.
 */
export async function sealData(secrets: SecretBox, eventId: string, json: string): Promise<string> {
  return secrets.seal(await pack(json), sealedFor.event(eventId));
}

/** Returns the JSON that `sealData` sealed. Throws when the key is unknown. */
export async function openData(secrets: SecretBox, eventId: string, sealed: string): Promise<string> {
  const packed = secrets.open(sealed, sealedFor.event(eventId));
  return (await unpack(packed, { maxOutputLength: DATA_MAX_BYTES })).toString();
}
