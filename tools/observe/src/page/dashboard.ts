import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Of Grafana's panels, those that are drawn; any other is shown as one that this page does not know. */
export type PanelKind = 'timeseries' | 'stat' | 'gauge' | 'bargauge' | 'table' | 'text' | 'row';

export interface Target {
  expr: string;
  /** Names a line, such as `{{job}}`. */
  legend: string;
  /** Whether the traces behind the figures are drawn too. */
  exemplar: boolean;
}

export interface Panel {
  id: number;
  kind: PanelKind | undefined;
  title: string;
  description: string;
  /** In 24 columns. */
  width: number;
  targets: Target[];
  unit: string;
  decimals: number | undefined;
  min: number | undefined;
  max: number | undefined;
  thresholds: { value: number | undefined; colour: string }[];
  /** Whether a chart has a line across at each. */
  hasThresholdLines: boolean;
  /** Words that stand for values. */
  mappings: Record<string, string>;
  stacked: boolean;
  /** Names of pages in docs/runbooks that it links to. */
  runbooks: string[];
  /** Of a text: Markdown. */
  text: string;
}

/** What a person may choose, and queries name as `$name`. */
export interface Variable {
  name: string;
  label: string;
  /** Those that are listed, or what to ask Prometheus for. */
  options: string[] | { label: string; match: string | undefined };
  includeAll: boolean;
  chosen: string;
}

export interface Dashboard {
  uid: string;
  title: string;
  description: string;
  panels: Panel[];
  variables: Variable[];
}

/** Reads the dashboards of a folder, in the order of their files' names. A folder that is not there has none. Fails when a file is no JSON. */
export async function readDashboards(dir: string): Promise<Dashboard[]> {
  const names = await readdir(dir).catch((): string[] => []);
  const files = names.filter(name => name.endsWith('.json')).sort();
  return Promise.all(
    files.map(async name => parseDashboard(await readFile(join(dir, name), 'utf8'), name.slice(0, -'.json'.length))),
  );
}

/** Parses one dashboard in Grafana's format. `name` stands in where it has no uid. Throws when the text is no JSON. */
export function parseDashboard(text: string, name: string): Dashboard {
  const raw = JSON.parse(text) as RawDashboard;
  return {
    uid: raw.uid || name,
    // Which product it is, they need not say here.
    title: (raw.title || name).replace(/^Recording Request: /, ''),
    description: raw.description ?? '',
    // Those of a collapsed row are within it.
    panels: (raw.panels ?? []).flatMap(panel => [panel, ...(panel.panels ?? [])]).map(panelOf),
    variables: (raw.templating?.list ?? []).flatMap(variableOf),
  };
}

const KINDS: readonly string[] = ['timeseries', 'stat', 'gauge', 'bargauge', 'table', 'text', 'row'];

function panelOf(raw: RawPanel, index: number): Panel {
  const defaults = raw.fieldConfig?.defaults ?? {};
  return {
    id: raw.id ?? index,
    kind: KINDS.includes(raw.type) ? (raw.type as PanelKind) : undefined,
    title: raw.title ?? '',
    description: raw.description ?? '',
    width: Math.min(24, Math.max(1, raw.gridPos?.w ?? 12)),
    targets: (raw.targets ?? []).flatMap(({ expr, legendFormat, exemplar, hide }) =>
      expr && !hide ? [{ expr, legend: legendFormat ?? '', exemplar: exemplar ?? false }] : [],
    ),
    unit: defaults.unit ?? 'short',
    decimals: defaults.decimals,
    min: defaults.min,
    max: defaults.max,
    hasThresholdLines: !['off', undefined].includes(defaults.custom?.thresholdsStyle?.mode),
    thresholds: (defaults.thresholds?.steps ?? []).map(({ value, color }) => ({
      value: value ?? undefined,
      colour: color,
    })),
    mappings: Object.fromEntries(
      (defaults.mappings ?? []).flatMap(({ options }) =>
        Object.entries(options ?? {}).flatMap(([value, { text }]) => (text ? [[value, text]] : [])),
      ),
    ),
    stacked: !['none', undefined].includes(defaults.custom?.stacking?.mode),
    runbooks: (raw.links ?? []).flatMap(({ url }) => /([\w-]+)\.md(?:#.*)?$/.exec(url ?? '')?.[1] ?? []),
    text: raw.options?.content ?? '',
  };
}

function variableOf(raw: RawVariable): Variable[] {
  const { name, type, current, includeAll = false } = raw;
  const query = typeof raw.query === 'string' ? raw.query : (raw.query?.query ?? '');
  const chosen = [current?.value ?? (includeAll ? ALL : '')].flat()[0] ?? '';
  const common = { name, label: raw.label || name, includeAll, chosen };
  if (type === 'custom' || type === 'constant' || type === 'interval')
    return [{ ...common, options: query.split(',').map(option => option.trim()) }];
  const [, match, label] = /^label_values\((?:(.+),)?\s*(\w+)\s*\)$/.exec(query) ?? [];
  // Of a data source there is one here.
  return type === 'query' && label ? [{ ...common, options: { label, match: match?.trim() } }] : [];
}

/** What stands for all values of a variable, as Grafana has it. */
export const ALL = '$__all';

interface RawDashboard {
  uid?: string;
  title?: string;
  description?: string;
  panels?: RawPanel[];
  templating?: { list?: RawVariable[] };
}

interface RawPanel {
  id?: number;
  type: string;
  title?: string;
  description?: string;
  gridPos?: { w?: number };
  targets?: { expr?: string; legendFormat?: string; exemplar?: boolean; hide?: boolean }[];
  fieldConfig?: {
    defaults?: {
      unit?: string;
      decimals?: number;
      min?: number;
      max?: number;
      thresholds?: { steps?: { value?: number | null; color: string }[] };
      mappings?: { options?: Record<string, { text?: string }> }[];
      custom?: { stacking?: { mode?: string }; thresholdsStyle?: { mode?: string } };
    };
  };
  options?: { content?: string };
  links?: { url?: string }[];
  panels?: RawPanel[];
}

interface RawVariable {
  name: string;
  label?: string;
  type: string;
  query?: string | { query?: string };
  current?: { value?: string | string[] };
  includeAll?: boolean;
}
