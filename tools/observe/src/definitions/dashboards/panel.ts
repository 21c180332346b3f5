/** A PromQL query of a panel, and the template of its line names: `{{job}}`. */
export interface Query {
  expr: string;
  legend?: string;
  /** Also draws the traces behind the figures. Only metrics that the collector derives from spans have such traces. */
  exemplars?: true;
}

export interface Panel {
  title: string;
  /** The meaning of the panel, and the values that need attention. */
  description: string;
  kind: 'timeseries' | 'stat' | 'table' | 'text';
  /** Grafana's name of the unit. */
  unit?: Unit;
  queries: readonly Query[];
  /** The thresholds for attention and for immediate action. */
  warn?: number;
  bad?: number;
  /** True if low values are bad. */
  lowIsBad?: true;
  /** The width in 24 columns and the height in rows. */
  width: number;
  height: number;
  stacked?: true;
  /** The text, in Markdown. */
  content?: string;
  /** The alert whose runbook explains more. */
  runbook?: string;
}

export type Unit = 's' | 'percentunit' | 'bytes' | 'reqps' | 'ops' | 'short' | 'none' | 'suffix:cores' | 'suffix:s/s';

export interface Dashboard {
  /** Also the name of its file. */
  name: string;
  title: string;
  description: string;
  panels: readonly Panel[];
}

type More = Partial<Omit<Panel, 'kind' | 'title' | 'description' | 'queries' | 'unit'>>;

/** Returns a panel of lines over time, half as wide as the page. */
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

/** Returns a panel with the present value, large. */
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

/** Returns a query that aggregates `expr` by `labels`. The legend shows the values of these labels. */
export const by = (operator: 'max' | 'min' | 'sum' | 'count', labels: string, expr: string): Query[] => [
  { expr: `${operator} by (${labels}) (${expr})`, legend: legendOf(labels) },
];

/** Returns a query for the rate of the counter `series`, by `labels`. The legend shows the values of these labels. */
export const rates = (labels: string, series: string): Query[] => [
  { expr: rateBy(labels, series), legend: legendOf(labels) },
];

const legendOf = (labels: string) =>
  labels
    .split(', ')
    .map(label => `{{${label}}}`)
    .join(' ');

/** Returns the share of the slots of a kind that each process uses. */
export const slotsInUse = (kind: string): Query[] => {
  const sum = (metric: string) => `sum by (instance) (${metric}{recording_slot_kind="${kind}"})`;
  return [{ expr: `${sum('recording_slots_used')} / ${sum('recording_slots_limit')}`, legend: '{{instance}}' }];
};

/** Returns the rate of the counter `series`, by some labels. */
export const rateBy = (labels: string, series: string): string => `sum by (${labels}) (rate(${series}[5m]))`;

/** Returns a quantile of a histogram over five minutes, by some labels. */
export const quantile = (share: number, metric: string, selector = '', by = ''): string =>
  `histogram_quantile(${share}, sum by (${by ? `${by}, ` : ''}le) (rate(${metric}_bucket${selector && `{${selector}}`}[5m])))`;

/** Returns two quantiles: the median, and a high one. */
export const usual = (metric: string, selector = ''): Query[] => [
  { expr: quantile(0.5, metric, selector), legend: 'median' },
  { expr: quantile(0.95, metric, selector), legend: '95 of 100 are quicker' },
];

/** Returns the query with 0 if there is no series. */
export const orZero = (expr: string): string => `${expr} or on() vector(0)`;

export const orZeroOf = (queries: Query[]): Query[] => queries.map(each => ({ ...each, expr: orZero(each.expr) }));
