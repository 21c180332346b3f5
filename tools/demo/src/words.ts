/**
 * Which share of the spoken words was heard, 0 to 1: the longest run of words that both have in the same order,
 * over what was spoken. A word that was put in by the recogniser counts neither for nor against.
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
