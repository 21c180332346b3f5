import { grafana } from './grafana.ts';
import type { Dashboard } from './panel.ts';
import { GATEWAY, LANDING } from './requests.ts';
import { EVENTS, PROCESSES, STORES } from './servers.ts';
import { START } from './start.ts';
import { MEDIA, TRANSCRIPTION, WEBHOOKS } from './work.ts';

/** The dashboard to open first, then the others in the order of a clip's processing. */
export const DASHBOARDS: readonly Dashboard[] = [
  START,
  GATEWAY,
  LANDING,
  MEDIA,
  TRANSCRIPTION,
  WEBHOOKS,
  EVENTS,
  STORES,
  PROCESSES,
];

/** Returns the files of all dashboards by name; the number keeps their order in a folder. */
export const dashboardFiles = (settings: { runbooks: string; traces: string }): Record<string, string> =>
  Object.fromEntries(
    DASHBOARDS.map((dashboard, index) => [
      `${index}-${dashboard.name}.json`,
      grafana(dashboard, { ...settings, all: DASHBOARDS }),
    ]),
  );
