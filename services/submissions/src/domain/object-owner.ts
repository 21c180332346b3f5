/** The record that an object belongs to, by its key. */
export interface ObjectOwner {
  kind: 'submission' | 'upload' | 'archive';
  id: string;
}

/** An object that the store's client writes to find out whether checksums are verified. */
const PROBE = 'checksum-probe';

/** Returns `own` for an object that belongs to no record, and undefined for a key that is none of ours. */
export function ownerOfKey(key: string): ObjectOwner | 'own' | undefined {
  if (key === PROBE) return 'own';
  const [folder, first = '', second = '', third = ''] = key.split('/');
  if (folder === 'uploads' && second) return { kind: 'upload', id: first };
  if (folder === 'submissions' && third) return { kind: 'submission', id: second };
  if (folder === 'exports' && third) return { kind: 'archive', id: second };
  return undefined;
}

/** The answer to a request for a transcript that was too long for an event; the submission has copied it. */
export const isTranscript = (key: string): boolean => /\/transcript-\d+\.json$/.test(key);
