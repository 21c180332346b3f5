import { observe } from './metrics.ts';

/** A kind of work that a process limits. */
export type SlotKind =
  | 'media'
  | 'transcript'
  | 'inspect'
  | 'webhook'
  | 'upload'
  | 'video'
  | 'export'
  | 'list'
  | 'search';

/** Reports the limit of a kind of work and how many units of it run. Returns a function that stops the report. */
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
