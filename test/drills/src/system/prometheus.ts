/** What a rule asks for attention to at this moment. */
export interface Alerting {
  alert: string;
  labels: Record<string, string>;
}

/** One series of an instant query's answer. */
export interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** What drills ask of Prometheus. Each request has ten seconds, and rejects when it is not answered. */
export interface Prometheus {
  query(promql: string): Promise<Sample[]>;
  /** The alerts that fire, those that another one keeps quiet included. */
  firing(): Promise<Alerting[]>;
}

const LIMIT_MS = 10_000;

interface Reply {
  status: string;
  error?: string;
  data: {
    result?: { metric: Record<string, string>; value: [number, string] }[];
    alerts?: { state: string; labels: Record<string, string> }[];
  };
}

export function prometheusAt(url: string): Prometheus {
  const get = async (path: string): Promise<Reply['data']> => {
    const answer = await fetch(new URL(path, url), { signal: AbortSignal.timeout(LIMIT_MS) });
    const { status, error, data } = (await answer.json()) as Reply;
    if (status !== 'success') throw new Error(`Prometheus refuses ${decodeURIComponent(path)}: ${error}`);
    return data;
  };
  return {
    async query(promql) {
      const { result = [] } = await get(`/api/v1/query?query=${encodeURIComponent(promql)}`);
      return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    async firing() {
      const { alerts = [] } = await get('/api/v1/alerts');
      return alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => ({ alert: labels.alertname ?? '', labels }));
    },
  };
}
