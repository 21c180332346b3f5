import type { Dashboard, Panel } from './panel.ts';

export interface GrafanaSettings {
  runbooks: string;
  traces: string;
  /** Every dashboard, so that each links to the others. */
  all: readonly Dashboard[];
}

const COLUMNS = 24;
const SOURCE = { type: 'prometheus', uid: '$datasource' };

/** Returns a dashboard in Grafana's format. Places panels side by side while there is room. */
export function grafana({ name, title, description, panels }: Dashboard, settings: GrafanaSettings): string {
  let [x, y, row] = [0, 0, 0];
  const placed = panels.map((panel, index) => {
    if (x + panel.width > COLUMNS) [x, y, row] = [0, y + row, 0];
    const gridPos = { x, y, w: panel.width, h: panel.height };
    x += panel.width;
    row = Math.max(row, panel.height);
    return panelOf(panel, index + 1, gridPos, settings);
  });
  const dashboard = {
    uid: `recording-${name}`,
    title: `Recording Request: ${title}`,
    description,
    tags: ['recording-request'],
    timezone: 'utc',
    schemaVersion: 39,
    editable: false,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    links: [
      ...settings.all.map(other => ({
        title: other.title,
        type: 'link',
        url: `/d/recording-${other.name}`,
        keepTime: true,
      })),
      { title: 'Traces', type: 'link', url: `${settings.traces}/zipkin`, targetBlank: true },
      { title: 'Runbooks', type: 'link', url: `${settings.runbooks}/README.md`, targetBlank: true },
    ],
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }] },
    panels: placed,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

type Place = { x: number; y: number; w: number; h: number };

function panelOf(panel: Panel, id: number, gridPos: Place, { runbooks }: GrafanaSettings): object {
  const { title, description, kind, unit = 'short', runbook, content, stacked } = panel;
  if (kind === 'text') return { id, type: 'text', title, gridPos, options: { mode: 'markdown', content } };
  return {
    id,
    type: kind,
    title,
    description,
    gridPos,
    datasource: SOURCE,
    ...(runbook && { links: [{ title: `Runbook: ${runbook}`, url: `${runbooks}/${runbook}.md`, targetBlank: true }] }),
    targets: panel.queries.map(({ expr, legend, exemplars }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: SOURCE,
      expr,
      legendFormat: legend ?? '',
      exemplar: exemplars ?? false,
      ...(kind !== 'timeseries' && { instant: true }),
    })),
    fieldConfig: {
      defaults: {
        unit,
        thresholds: { mode: 'absolute', steps: stepsOf(panel) },
        ...(kind === 'timeseries' && {
          color: { mode: 'palette-classic-by-name' },
          min: 0,
          custom: {
            fillOpacity: stacked ? 30 : 0,
            stacking: { mode: stacked ? 'normal' : 'none' },
            thresholdsStyle: { mode: panel.warn === undefined && panel.bad === undefined ? 'off' : 'line' },
          },
        }),
      },
      overrides: [],
    },
    options: kind === 'stat' ? { colorMode: 'value', reduceOptions: { calcs: ['lastNotNull'] } } : {},
  };
}

function stepsOf({ warn, bad, lowIsBad }: Panel): object[] {
  const step = (color: string, value: number | undefined) => (value === undefined ? [] : [{ color, value }]);
  if (lowIsBad) return [{ color: 'red', value: null }, ...step('orange', bad), ...step('green', warn)];
  return [{ color: 'green', value: null }, ...step('orange', warn), ...step('red', bad)];
}
