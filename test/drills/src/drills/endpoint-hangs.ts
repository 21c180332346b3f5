import { setTimeout as delay } from 'node:timers/promises';
import type { Drill } from '../drill.ts';
import { delivered } from '../system/recovery.ts';

/** Enough late events for a page, if an owner's endpoint could cause one. */
const CLIPS = 8;
// Longer than the minute after which an event is late; the factor does not divide this minute.
const LASTS_MS = 75_000;
const LIMIT_MS = 60_000;
/** A page about late deliveries would come within this time. */
const WATCH_MS = 20_000;

export const endpointHangs: Drill = {
  name: 'endpoint-hangs',
  promise: 'An owner’s endpoint that never responds opens a ticket with its project, but never sends a page',
  expects: { alert: 'EndpointFailing', severity: 'ticket' },
  labels: ({ owners }) => ({ recording_project_id: new RegExp(`^${owners.single.project.projectId}$`) }),
  names: {
    ...{ runbook: 'EndpointFailing', query: /\brecording_webhook_failing_seconds\b/ },
    ...{ label: 'recording_project_id', value: ({ owners }) => owners.single.project.projectId, by: 'highest' },
  },
  lastsMs: LASTS_MS,
  async begin({ owners: { single }, load }, repair) {
    // The proxy accepts connections and passes no byte.
    single.endpoint.freeze();
    repair.defer(() => single.endpoint.pass());
    await Promise.all(Array.from({ length: CLIPS }, () => load.handIn(single.project)));
  },
  async recovers({ harness, owners, load }, { began, signal }) {
    const { projectId } = owners.single.project;
    const late = load.clips.filter(clip => clip.projectId === projectId && clip.at >= began);
    await delivered(harness, late, { limitMs: LIMIT_MS, signal });
    await delay(WATCH_MS, undefined, { signal });
  },
};
