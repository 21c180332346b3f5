/** An observed event about a submission. */
export interface SeenEvent {
  id: string;
  type: string;
  /** undefined or "" for an event that is not about a submission. */
  submissionId: string | undefined;
  /** The time of the event. */
  at: Date;
}

/**
 * Returns a violation for each event that came after a later event of its submission. Ignores repetitions. Use this
 * only for events from the topics, where all events of a submission have the same key. Webhooks have no promised order.
 */
export function orderViolations(seen: Iterable<SeenEvent>, where: string): string[] {
  const known = new Set<string>();
  const latest = new Map<string, SeenEvent>();
  const violations: string[] = [];
  for (const event of seen) {
    const { id, type, submissionId, at } = event;
    if (!submissionId || known.has(id)) continue;
    known.add(id);
    const before = latest.get(submissionId);
    if (before && before.at > at)
      violations.push(`${where}: ${type} of ${submissionId} came after ${before.type}, which occurred later`);
    else latest.set(submissionId, event);
  }
  return violations;
}
