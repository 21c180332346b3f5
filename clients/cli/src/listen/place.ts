import { readFile } from 'node:fs/promises';
import { missing, writePrivate } from '../config.ts';
import { EXIT, Failure } from '../failures.ts';
import { lock } from '../lock.ts';

/** A place in the feed. */
export interface Position {
  /** The time to begin at while there is no cursor. */
  since?: string | undefined;
  cursor?: string | undefined;
  /** The last event after `since` or `cursor` that was sent. */
  eventId?: string | undefined;
}

/** Keeps a place in the feed. */
export interface Place extends AsyncDisposable {
  position: Position;
  save(position: Position): Promise<void>;
}

/** Opens the place that a file stores; without a path, a place in memory. Fails if another command uses the file. */
export async function openPlace(path: string | undefined): Promise<Place> {
  const place: Place = {
    position: {},
    async save(position) {
      place.position = position;
      if (path !== undefined) await writePrivate(path, `${JSON.stringify(position)}\n`);
    },
    async [Symbol.asyncDispose]() {
      await held?.release();
    },
  };
  const held = path === undefined ? undefined : await lock(`${path}.lock`, `the cursor file ${path}`);
  try {
    if (path !== undefined) place.position = await read(path);
  } catch (error) {
    await held?.release();
    throw error;
  }
  return place;
}

async function read(path: string): Promise<Position> {
  const text = await readFile(path, 'utf8').catch(missing);
  if (!text?.trim()) return {};
  try {
    const position = JSON.parse(text) as Position;
    const values = [position.since, position.cursor, position.eventId];
    if (values.every(value => value === undefined || typeof value === 'string')) return position;
  } catch {}
  throw new Failure(EXIT.local, `${path} is no cursor file of rr listen. Choose another --cursor-file.`);
}
