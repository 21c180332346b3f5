import type { Random } from '@recording-request/stack/random';

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const keyed = items.map(item => ({ item, key: random.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
