/** A query of a panel, in PromQL, and what names its lines: `{{job}}`. */
export interface Query {
  expr: string;
  legend?: string;
  /** Draws the traces behind the figures. Only those that the collector makes of spans have any. */
  exemplars?: true;
}

export interface Panel {
  title: string;
  /** What it tells, and when to worry. */
  description: string;
  kind: 'timeseries' | 'stat' | 'table' | 'text';
  /** Grafana's name of the unit. */
  unit?: Unit;
  queries: readonly Query[];
  /** From where on it is a matter for somebody, and for whom at once. */
  warn?: number;
  bad?: number;
  /** What is bad is below. */
  lowIsBad?: true;
  /** In 24 columns and in rows. */
  width: number;
  height: number;
  stacked?: true;
  /** Of a text, in Markdown. */
  content?: string;
  /** The alert whose runbook says more. */
  runbook?: string;
}

export type Unit = 's' | 'percentunit' | 'bytes' | 'reqps' | 'ops' | 'short' | 'none';

export interface Dashboard {
  /** Also the name of its file. */
  name: string;
  title: string;
  description: string;
  panels: readonly Panel[];
}

type More = Partial<Omit<Panel, 'kind' | 'title' | 'description' | 'queries' | 'unit'>>;

/** Lines over time, half as wide as the page. */
export const lines = (
  title: string,
  unit: Unit,
  queries: Panel['queries'],
  description: string,
  more: More = {},
): Panel => ({
  ...{ kind: 'timeseries', title, unit, queries, description, width: 12, height: 8 },
  ...more,
});

/** The present value, large. */
export const figure = (
  title: string,
  unit: Unit,
  queries: Panel['queries'],
  description: string,
  more: More = {},
): Panel => ({
  ...{ kind: 'stat', title, unit, queries, description, width: 6, height: 4 },
  ...more,
});

export const text = (title: string, content: string): Panel => ({
  ...{ kind: 'text', title, content, description: '', queries: [], width: 24, height: 3 },
});

/** The rate of what `series` counts, by some labels. */
export const rateBy = (labels: string, series: string): string => `sum by (${labels}) (rate(${series}[5m]))`;

/** A quantile of a histogram over five minutes, by some labels. */
export const quantile = (share: number, metric: string, selector = '', by = ''): string =>
  `histogram_quantile(${share}, sum by (${by ? `${by}, ` : ''}le) (rate(${metric}_bucket${selector && `{${selector}}`}[5m])))`;

/** Two quantiles: what is usual, and what the unlucky get. */
export const usual = (metric: string, selector = ''): Query[] => [
  { expr: quantile(0.5, metric, selector), legend: 'half are quicker' },
  { expr: quantile(0.95, metric, selector), legend: '95 of 100 are quicker' },
];

/** A sum that is 0 where nothing of it was ever counted. */
export const orZero = (expr: string): string => `${expr} or vector(0)`;
