/** Returns the position of the first unanswered question, 0 when all are answered. */
export function nextQuestion(count: number, answered: readonly number[]): number {
  for (let index = 0; index < count; index++) if (!answered.includes(index)) return index;
  return 0;
}

/** Returns the values for the text `earlierAnswers`; undefined when no answer has landed, or no question is left. */
export function earlierAnswers(
  count: number,
  answered: readonly number[],
): { number: number; count: number } | undefined {
  if (answered.length === 0 || answered.length >= count) return undefined;
  return { number: nextQuestion(count, answered) + 1, count };
}
