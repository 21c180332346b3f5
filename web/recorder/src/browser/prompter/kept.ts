// The device keeps the look of the prompter for all links, and the notes and the place for one link.

export interface Look {
  size: number;
  wordsPerMinute: number;
}
export type Source = 'script' | 'notes';
export interface Kept {
  notes: string;
  source: Source;
  /** The part of each text that has passed, 0 to 1. */
  place: Record<Source, number>;
}

const LOOK = 'prompter';
const keyOf = (link: string) => `prompter:${link}`;

function read<T extends object>(key: string, usual: T): T {
  try {
    return { ...usual, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<T>) };
  } catch {
    // The storage is off or has something else.
    return usual;
  }
}

function write(key: string, value: object): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is off or full: the page keeps the value until it is closed.
  }
}

export const readLook = (usual: Look): Look => read(LOOK, usual);
export const keepLook = (look: Look): void => write(LOOK, look);
export const readKept = (link: string, usual: Kept): Kept => read(keyOf(link), usual);
export const keep = (link: string, kept: Kept): void => write(keyOf(link), kept);
