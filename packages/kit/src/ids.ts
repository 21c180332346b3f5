import { randomUUIDv7 } from 'node:crypto';

/** A UUIDv7 of now: sortable by the time of its making. */
export const uuidv7 = (): string => randomUUIDv7();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether `text` has the form of a UUID, of any version. */
export const isUuid = (text: string): boolean => UUID.test(text);
