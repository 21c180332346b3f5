/** A span in Zipkin's format; times in microseconds. */
export interface ZipkinSpan {
  traceId: string;
  id: string;
  parentId?: string;
  name?: string;
  timestamp?: number;
  duration?: number;
  localEndpoint?: { serviceName?: string };
  tags?: Record<string, string>;
}

/** The summary of a clip's trace. */
export interface ClipTrace {
  traceId: string;
  submissionId: string | undefined;
  /** Milliseconds since 1970. */
  landedAt: number;
  steps: Step[];
  /** The steps of a landed clip that its trace lacks so far. */
  missing: StepName[];
}

export interface TraceSummary {
  traceId: string;
  /** The name of the first span. */
  name: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  seconds: number;
  failed: boolean;
}

/**
 * A step of a clip: its duration, and the time from the landing to its start. `failed` is true if its span reports an
 * error.
 */
export interface Step {
  name: StepName;
  seconds: number;
  waitedSeconds: number;
  failed: boolean;
}

export type StepName = 'landing' | 'media' | 'transcript' | 'webhook';

const LIMIT_MS = 10_000;
const DAY_MS = 86_400_000;
const IDS = ['recording.submission.id', 'recording.upload.id', 'recording.project.id'] as const;
const LOOK_UP = /operatorservice\/gettrace$/i;
const STEPS: readonly { name: StepName; span: RegExp }[] = [
  { name: 'landing', span: /^(resume landing|land)$/ },
  { name: 'media', span: /^media job$/ },
  { name: 'transcript', span: /^transcript job$/ },
  { name: 'webhook', span: /^webhook / },
];

/** Zipkin did not respond. The message is shown to the user. */
export class TraceError extends Error {
  override name = 'TraceError';
}

/** Queries a Zipkin server. Every method rejects with a TraceError. */
export class Traces {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Returns the clips that landed last, newest first. */
  async newestClips(limit: number): Promise<ClipTrace[]> {
    const found = await this.#ask({ serviceName: 'submissions', spanName: 'land', limit: String(limit) });
    return clipsOf(found);
  }

  /**
   * Returns traces about a clip, an upload or a project: the traces of landings, and the newest other traces. Omits the
   * look-ups of `npm run admin -- trace`, which have the same id but no information.
   */
  async about(id: string, limit: number): Promise<{ traces: ZipkinSpan[][]; isClip: boolean }> {
    for (const attribute of IDS) {
      const about = { annotationQuery: `${attribute}=${id}`, limit: String(limit) };
      const [landings, newest] = await Promise.all([
        this.#ask({ ...about, serviceName: 'submissions', spanName: 'land' }),
        this.#ask(about),
      ]);
      const each = new Map([...landings, ...newest].map(spans => [spans[0]?.traceId, spans]));
      const traces = [...each.values()].filter(spans => !spans.some(({ name }) => LOOK_UP.test(name ?? '')));
      if (traces.length > 0) return { traces, isClip: attribute !== 'recording.project.id' };
    }
    return { traces: [], isClip: false };
  }

  async #ask(parameters: Record<string, string>): Promise<ZipkinSpan[][]> {
    const url = new URL(`${this.#url}/zipkin/api/v2/traces`);
    url.search = new URLSearchParams({ lookback: String(7 * DAY_MS), ...parameters }).toString();
    const answer = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) }).catch(() => undefined);
    if (!answer?.ok) throw new TraceError(`Zipkin ${answer ? `returned ${answer.status}` : 'does not respond'}.`);
    return (await answer.json()) as ZipkinSpan[][];
  }
}

/** Returns the summary of each trace with a landing, newest first. */
export function clipsOf(traces: ZipkinSpan[][]): ClipTrace[] {
  return traces
    .flatMap(spans => {
      const landing = spans.find(({ name }) => name === 'land');
      return landing ? [clipOf(landing, spans)] : [];
    })
    .sort((a, b) => b.landedAt - a.landedAt);
}

function clipOf(landing: ZipkinSpan, spans: ZipkinSpan[]): ClipTrace {
  const submissionId = spans.map(({ tags }) => tags?.['recording.submission.id']).find(Boolean);
  const landedAt = (startOf(landing) + (landing.duration ?? 0)) / 1000;
  const steps = STEPS.flatMap(({ name, span }) => {
    const own = spans.filter(one => span.test(one.name ?? ''));
    if (own.length === 0) return [];
    // A step has not failed if its retry succeeded.
    const last = own.reduce((a, b) => (startOf(a) > startOf(b) ? a : b));
    const seconds = (last.duration ?? 0) / 1e6;
    const waitedSeconds = Math.max(0, startOf(last) / 1e6 - landedAt / 1000);
    return [{ name, seconds, waitedSeconds, failed: last.tags?.error !== undefined }];
  });
  const hasLanded = spans.some(({ tags }) => tags?.['recording.end'] === 'landed');
  const missing = hasLanded
    ? STEPS.map(({ name }) => name).filter(name => !steps.some(step => step.name === name))
    : [];
  return { traceId: landing.traceId, submissionId, landedAt, steps, missing };
}

export function summaryOf(spans: ZipkinSpan[]): TraceSummary | undefined {
  const [first] = spans.toSorted((a, b) => startOf(a) - startOf(b));
  if (!first) return undefined;
  const end = Math.max(...spans.map(span => startOf(span) + (span.duration ?? 0)));
  return {
    traceId: first.traceId,
    name: first.name ?? 'a span without a name',
    startedAt: startOf(first) / 1000,
    seconds: (end - startOf(first)) / 1e6,
    failed: spans.some(({ tags }) => tags?.error !== undefined),
  };
}

const startOf = ({ timestamp = 0 }: ZipkinSpan) => timestamp;
