import { observe } from './metrics.ts';

/** What a process does a bounded number of at once. */
export type SlotKind = 'media' | 'transcript' | 'inspect' | 'webhook' | 'upload' | 'export' | 'search';

/** Reports how many there are of a kind, and how many are in use. Returns what ends it. */
export function reportSlots(kind: SlotKind, limit: number, used: () => number): () => void {
  const attributes = { 'recording.slot.kind': kind };
  const ends = [
    observe('recording.slots.limit', () => [[limit, attributes]]),
    observe('recording.slots.used', () => [[used(), attributes]]),
  ];
  return () => {
    for (const end of ends) end();
  };
}
