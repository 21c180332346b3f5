/**
 * Returns the recognised share of the spoken words, 0 to 1: the length of the longest common subsequence, divided
 * by the number of spoken words. Words that the recogniser added do not count.
 */
export function shareHeard(spoken: readonly string[], heard: readonly string[]): number {
  if (spoken.length === 0) return heard.length === 0 ? 1 : 0;
  let row: number[] = new Array(heard.length + 1).fill(0);
  for (const word of spoken) {
    const next = [0];
    for (let at = 0; at < heard.length; at++)
      next.push(word === heard[at] ? row[at]! + 1 : Math.max(row[at + 1]!, next[at]!));
    row = next;
  }
  return row[heard.length]! / spoken.length;
}
