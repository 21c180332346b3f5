/** How many upload requests may run at once. */
export interface UploadLimits {
  all: number;
  /** Of one recording link. */
  perLink: number;
  /** Of one address at one link. */
  perClient: number;
}

/** Places for upload requests, so that nobody takes all of them: neither one link nor one who has it. */
export function createUploadSlots({ all, perLink, perClient }: UploadLimits) {
  const taken = new Map<string, number>();
  const count = (key: string) => taken.get(key) ?? 0;
  return {
    /** A place, given back by calling what is returned; undefined where there is none. */
    take(linkId: string, address: string): (() => void) | undefined {
      const bounds: Array<[key: string, limit: number]> = [
        ['all', all],
        [`link ${linkId}`, perLink],
        [`client ${linkId} ${address}`, perClient],
      ];
      if (bounds.some(([key, limit]) => count(key) >= limit)) return undefined;
      for (const [key] of bounds) taken.set(key, count(key) + 1);
      return () => {
        for (const [key] of bounds) {
          if (count(key) > 1) taken.set(key, count(key) - 1);
          else taken.delete(key);
        }
      };
    },
  };
}
