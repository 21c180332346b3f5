/** The record to which an object belongs, according to its key. */
export interface ObjectOwner {
  kind: 'submission' | 'upload' | 'archive';
  id: string;
}

/** The object that the store's client writes to find out whether the store verifies checksums. */
const PROBE = 'checksum-probe';

/**
 * Returns `own` for an object of this service that belongs to no record. Returns undefined for a key that this service
 * does not use.
 */
export function ownerOfKey(key: string): ObjectOwner | 'own' | undefined {
  if (key === PROBE) return 'own';
  const [folder, first = '', second = '', third = ''] = key.split('/');
  if (folder === 'uploads' && second) return { kind: 'upload', id: first };
  if (folder === 'submissions' && third) return { kind: 'submission', id: second };
  if (folder === 'exports' && third) return { kind: 'archive', id: second };
  return undefined;
}

/**
 * Returns whether the object is a transcript that was too long for its event. The submission contains a copy of the
 * transcript.
 */
export const isTranscript = (key: string): boolean => /\/transcript-\d+\.json$/.test(key);
