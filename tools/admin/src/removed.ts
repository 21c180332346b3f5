const COUNTS = {
  users: 0,
  tokensRevoked: 0,
  projects: 0,
  links: 0,
  responses: 0,
  rememberedAnswers: 0,
  videosReleased: 0,
  submissions: 0,
  uploads: 0,
  notes: 0,
  objects: 0,
  objectVersions: 0,
  objectBytes: 0,
  deadLetters: 0,
  references: 0,
  people: 0,
  payloads: 0,
  undelivered: 0,
  events: 0,
  feedEvents: 0,
};

type Counts = typeof COUNTS;

/** The counts of an erasure, or of a dry run. */
export interface Removed {
  counts: Counts;
  /** The time of an earlier erasure; undefined the first time. */
  erasedBeforeAt: Date | undefined;
  /**
   * The time when Kafka's last record of the data expires; null if Kafka keeps records forever, undefined if Kafka has
   * no such record.
   */
  recordsEndAt: Date | null | undefined;
}

export const removedNothing = (): Removed => ({
  counts: { ...COUNTS },
  erasedBeforeAt: undefined,
  recordsEndAt: undefined,
});

export function addTo({ counts }: Removed, more: Partial<Counts>): void {
  for (const name of Object.keys(COUNTS) as Array<keyof Counts>) counts[name] += more[name] ?? 0;
}

const many = (count: number, one: string, several = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : several}`;

/** Returns a line for each store with data. Always returns a line about records that are still in Kafka. */
export function removedLines({ counts, recordsEndAt }: Removed): string[] {
  const of = (...parts: Array<[count: number, text: string]>) =>
    parts.flatMap(([count, text]) => (count > 0 ? [text] : [])).join(', ');
  const stores: Array<[store: string, what: string]> = [
    [
      'accounts',
      of([counts.users, many(counts.users, 'user')], [counts.tokensRevoked, many(counts.tokensRevoked, 'token')]),
    ],
    [
      'projects',
      of(
        [counts.projects, many(counts.projects, 'project')],
        [counts.links, many(counts.links, 'link')],
        [counts.people, many(counts.people, 'person', 'people')],
        [counts.responses, many(counts.responses, 'response')],
        [counts.rememberedAnswers, many(counts.rememberedAnswers, 'remembered answer')],
      ),
    ],
    ['allowance', of([counts.videosReleased, `${many(counts.videosReleased, 'video')} given back`])],
    [
      'submissions',
      of(
        [counts.submissions, many(counts.submissions, 'submission')],
        [counts.uploads, many(counts.uploads, 'upload')],
        [counts.notes, many(counts.notes, 'note')],
        [counts.deadLetters, many(counts.deadLetters, 'dead letter')],
        [counts.references, many(counts.references, 'reference')],
      ),
    ],
    [
      'objects',
      of(
        [counts.objects, many(counts.objects, 'object')],
        [counts.objectVersions, many(counts.objectVersions, 'version')],
        [counts.objectBytes, many(counts.objectBytes, 'byte')],
      ),
    ],
    [
      'webhooks',
      of(
        [counts.payloads, many(counts.payloads, 'payload')],
        [counts.undelivered, `${counts.undelivered.toLocaleString('en')} of them not delivered yet`],
      ),
    ],
    [
      'feed',
      of(
        [counts.events, `the data of ${many(counts.events, 'event')}`],
        [counts.feedEvents, `${many(counts.feedEvents, 'event')} of the owner`],
      ),
    ],
  ];
  const lines = stores.filter(([, what]) => what !== '').map(([store, what]) => `  ${store.padEnd(12)} ${what}`);
  if (lines.length === 0) lines.push('  nothing is left');
  return recordsEndAt === undefined ? lines : [...lines, `  ${'Kafka'.padEnd(12)} ${kafkaLine(recordsEndAt)}`];
}

const kafkaLine = (endAt: Date | null) =>
  endAt
    ? `its records end by themselves, the last by ${endAt.toISOString()}`
    : 'its records do not end: a topic keeps them for ever (retention.ms)';

export function removedValue({ counts, erasedBeforeAt, recordsEndAt }: Removed) {
  return { ...counts, erasedBeforeAt: erasedBeforeAt ?? null, recordsEndAt: recordsEndAt ?? null };
}
