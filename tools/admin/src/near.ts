import { COMMANDS, commandsOf, GROUPS } from './commands.ts';

const SYNONYMS: Record<string, string> = {
  add: 'create',
  new: 'create',
  ls: 'list',
  get: 'show',
  info: 'show',
  delete: 'erase',
  remove: 'erase',
  rm: 'erase',
  disabled: 'disable',
  suspend: 'disable',
  replace: 'rotate',
};
const NEAR = 2;

/** Returns a clause that names the commands similar to `typed`; "" if there are none. */
export function nearTo(typed: string): string {
  const words = typed.toLowerCase().split(' ').slice(0, 2);
  const meant = words.map(word => SYNONYMS[word] ?? word);
  const spellings = [words, meant, words.toReversed(), meant.toReversed()].map(each => each.join(' '));
  const near = COMMANDS.map(({ name }) => name).filter(name => spellings.some(each => distance(each, name) <= NEAR));
  const group = GROUPS.find(each => distance(each, words[0]!) <= NEAR);
  const others = group ? commandsOf(group).map(({ name }) => name) : [];
  const named = [...new Set([...near, ...others])];
  return named.length > 0 ? `; near are ${named.map(name => `"${name}"`).join(', ')}` : '';
}

/** Returns how many letters must change, be added or be removed to turn one word into the other. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
