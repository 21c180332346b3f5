import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The kinds of Grafana panels that the page draws. It shows any other kind as unknown. */
export type PanelKind = 'timeseries' | 'stat' | 'gauge' | 'bargauge' | 'table' | 'text' | 'row';

export interface Target {
  expr: string;
  /** The template of a line's name, such as `{{job}}`. */
  legend: string;
  /** True to draw the traces behind the figures too. */
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
  /** True if a chart has a horizontal line at each threshold. */
  hasThresholdLines: boolean;
  /** Words that replace values. */
  mappings: Record<string, string>;
  stacked: boolean;
  /** The names of linked pages in docs/runbooks. */
  runbooks: string[];
  /** The Markdown of a text panel. */
  text: string;
}

/** A variable that the user may choose. Queries use it as `$name`. */
export interface Variable {
  name: string;
  label: string;
  /** The listed values, or the query for Prometheus. */
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

/**
 * Reads the dashboards of a folder, in the order of their file names. Returns none for a missing folder. Fails when a
 * file is not JSON.
 */
export async function readDashboards(dir: string): Promise<Dashboard[]> {
  const names = await readdir(dir).catch((): string[] => []);
  const files = names.filter(name => name.endsWith('.json')).sort();
  return Promise.all(
    files.map(async name => parseDashboard(await readFile(join(dir, name), 'utf8'), name.slice(0, -'.json'.length))),
  );
}

/** Parses one dashboard in Grafana's format. `name` replaces a missing uid. Throws when the text is not JSON. */
export function parseDashboard(text: string, name: string): Dashboard {
  const raw = JSON.parse(text) as RawDashboard;
  return {
    uid: raw.uid || name,
    // This page's title already has the product's name.
    title: (raw.title || name).replace(/^Recording Request: /, ''),
    description: raw.description ?? '',
    // The panels of a collapsed row are inside it.
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
  // Supports no other kinds, such as a choice of data sources: the page has only one data source.
  return type === 'query' && label ? [{ ...common, options: { label, match: match?.trim() } }] : [];
}

/** The value that selects all values of a variable, as in Grafana. */
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
