/** An event about a submission, as something saw it. */
export interface SeenEvent {
  id: string;
  type: string;
  /** undefined or "" where it is about none. */
  submissionId: string | undefined;
  /** When it occurred. */
  at: Date;
}

/**
 * Returns what is wrong with the order in which events were seen: each that came behind one of its submission which occurred later. A repetition says
 * nothing. The contract promises owners no order: this is for what reads the topics, where the events of a submission have one key.
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
      violations.push(`${where}: ${type} of ${submissionId} came behind ${before.type}, which occurred later`);
    else latest.set(submissionId, event);
  }
  return violations;
}
