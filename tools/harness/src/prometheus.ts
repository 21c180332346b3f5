/** One line of a chart, or one row of a table. */
export interface Series {
  labels: Record<string, string>;
  /** Seconds since 1970, and the value. */
  points: [number, number][];
}

/** An exemplar: a trace that contributed to a figure. */
export interface Exemplar {
  traceId: string;
  at: number;
  value: number;
}

/** The start and the end, in seconds since 1970, and the seconds between two points. */
export interface Span {
  start: number;
  end: number;
  stepSeconds: number;
}

/** Prometheus refused a query or did not respond. The message is for the person who wrote the query. */
export class QueryError extends Error {
  override name = 'QueryError';
}

const LIMIT_MS = 15_000;
const MAX_SERIES = 60;

/** Queries a Prometheus server. Every method rejects with a QueryError. */
export class Prometheus {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Returns at most sixty lines. */
  async range(expr: string, { start, end, stepSeconds }: Span): Promise<Series[]> {
    const query = { query: expr, start: String(start), end: String(end), step: String(stepSeconds) };
    const { result } = await this.#ask<{ result: Sample[] }>('query_range', query);
    return result.slice(0, MAX_SERIES).map(seriesOf);
  }

  /** Returns the values of at most sixty series, by default at this moment. */
  async now(expr: string, at = Date.now() / 1_000): Promise<Series[]> {
    const { result, resultType } = await this.#ask<Answer>('query', { query: expr, time: String(at) });
    if (resultType === 'scalar') return [seriesOf({ metric: {}, value: result })];
    if (resultType === 'string') throw new QueryError('The query returns text, which cannot be drawn.');
    return result.slice(0, MAX_SERIES).map(seriesOf);
  }

  /** Returns the exemplars of the series in a query. */
  async exemplars(expr: string, { start, end }: Span): Promise<Exemplar[]> {
    const found = await this.#ask<{ exemplars: RawExemplar[] }[]>('query_exemplars', {
      query: expr,
      start: String(start),
      end: String(end),
    });
    return found
      .flatMap(({ exemplars }) => exemplars)
      .map(({ labels, value, timestamp }) => ({
        traceId: labels.trace_id ?? labels.traceID ?? '',
        value: Number(value),
        at: timestamp,
      }))
      .filter(({ traceId }) => /^[0-9a-f]{16,32}$/.test(traceId));
  }

  /** Returns the values of a label in the matching series. */
  async labelValues(label: string, match: string | undefined): Promise<string[]> {
    return this.#ask<string[]>(`label/${encodeURIComponent(label)}/values`, match ? { 'match[]': match } : {});
  }

  async rules(): Promise<Rule[]> {
    const { groups } = await this.#ask<{ groups: { rules: Rule[] }[] }>('rules', {});
    return groups.flatMap(({ rules }) => rules);
  }

  /** Returns the pending and firing alerts. */
  async alerts(): Promise<RuleAlert[]> {
    return (await this.rules()).flatMap(({ alerts = [], keepFiringFor = 0 }) =>
      alerts.map(({ keepFiringSince, ...alert }) => {
        const held = keepFiringSince && new Date(Date.parse(keepFiringSince) + keepFiringFor * 1_000).toISOString();
        return held ? { ...alert, heldUntil: held } : alert;
      }),
    );
  }

  async #ask<T>(path: string, parameters: Record<string, string>): Promise<T> {
    const url = new URL(`${this.#url}/api/v1/${path}`);
    url.search = new URLSearchParams(parameters).toString();
    const answer = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) }).catch(() => undefined);
    if (!answer) throw new QueryError('Prometheus does not answer.');
    const body = (await answer.json().catch(() => undefined)) as { data?: T; error?: string } | undefined;
    if (!answer.ok || body?.data === undefined)
      throw new QueryError(body?.error ?? `Prometheus answered ${answer.status}.`);
    return body.data;
  }
}

export interface Rule {
  name: string;
  health: string;
  lastError?: string;
  /** The time that an alert still fires after its condition has ended, in seconds. */
  keepFiringFor?: number;
  alerts?: (RuleAlert & { keepFiringSince?: string })[];
}

export interface RuleAlert {
  state: 'pending' | 'firing';
  activeAt: string;
  /** The time when an alert whose condition has ended stops firing. */
  heldUntil?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

interface Sample {
  metric: Record<string, string>;
  value?: [number, string];
  values?: [number, string][];
}

type Answer =
  | { resultType: 'vector' | 'matrix'; result: Sample[] }
  | { resultType: 'scalar'; result: [number, string] }
  | { resultType: 'string'; result: [number, string] };

interface RawExemplar {
  labels: Record<string, string>;
  value: string;
  timestamp: number;
}

const seriesOf = ({ metric, value, values }: Sample): Series => ({
  labels: metric,
  points: (values ?? (value ? [value] : [])).map(([at, number]) => [at, Number(number)]),
});
