import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import { alertmanagerConfig } from '../src/definitions/alertmanager.ts';
import { timeOf } from '../src/definitions/time.ts';
import { ensureAlertmanager } from '../src/install/alertmanager.ts';
import { startAlertmanager } from '../src/servers/alertmanager.ts';

/** The labels of an alert; `name` is its alertname. */
type Alert = Readonly<Record<string, string>> & { name: string };

const STEPS = ['landing', 'media', 'transcript', 'webhook', 'owner-reads'];
const burns = (step: string, severity = 'page', burn = '14.4'): Alert => {
  const words = step.split('-').map(word => word[0]!.toUpperCase() + word.slice(1));
  const name = `${words.join('').replace(/s$/, '')}BudgetBurns`;
  return { name, severity, about: 'promise', objective: step, recording_step: step, burn };
};
const waits = (step: string): Alert => ({
  ...{
    name: `${step[0]!.toUpperCase()}${step.slice(1)}Waits`,
    severity: 'page',
    about: 'promise',
    recording_step: step,
  },
});
const stuck = (group: string): Alert => ({
  ...{ name: 'ConsumerStuck', severity: 'page', about: 'process', messaging_destination_name: 'a.topic' },
  messaging_consumer_group_name: `a.${group}`,
});
const of = (name: string, job: string): Alert => ({ name, severity: 'page', about: 'process', job });
const named = (alert: Alert): string =>
  [alert.name, alert.recording_step ?? alert.messaging_consumer_group_name ?? alert.job].join(' ');

/** Symptoms in groups, because a stuck consumer explains a broken promise, which silences the alert about waiting work. */
const SYMPTOMS: readonly (readonly Alert[])[] = [
  STEPS.map(step => burns(step)),
  [
    ...[
      'submissions',
      'submissions-transcripts',
      'media',
      'transcription',
      'webhooks',
      'webhooks-events',
      'webhooks-feed',
    ].map(stuck),
  ],
  STEPS.slice(0, 4).map(waits),
];

/** For each cause, the steps and the consumers that it explains; all other symptoms have another cause. */
const EXPLAINED: readonly { cause: Alert; steps: string; consumers: string }[] = [
  ...[
    'DatabaseWithoutPrimary',
    'DatabaseSlow',
    'ServiceAway',
    'InstanceSlow',
    'ProcessPaused',
    'FileDescriptorsRunningOut',
  ].flatMap(name => [
    { cause: of(name, 'gateway'), steps: 'landing owner-reads', consumers: '' },
    { cause: of(name, 'projects'), steps: 'landing webhook owner-reads', consumers: '' },
    {
      cause: of(name, 'submissions'),
      steps: 'landing media transcript webhook owner-reads',
      consumers: 'submissions submissions-transcripts media transcription',
    },
    { cause: of(name, 'media'), steps: 'landing media transcript', consumers: 'media' },
    { cause: of(name, 'transcription'), steps: 'transcript', consumers: 'transcription' },
    { cause: of(name, 'webhooks'), steps: 'webhook', consumers: 'webhooks webhooks-events webhooks-feed' },
  ]),
  ...['DiskFull', 'FfmpegStarved', 'ProgramStalled', 'ProgramsKilled'].flatMap(name => [
    { cause: of(name, 'media'), steps: 'landing media transcript', consumers: 'media' },
    { cause: of(name, 'transcription'), steps: 'transcript', consumers: 'transcription' },
  ]),
  { cause: { name: 'ObjectStoreSlow' }, steps: 'landing media transcript', consumers: 'media transcription' },
  { cause: { name: 'SpeechFailing' }, steps: 'transcript', consumers: 'transcription' },
  {
    cause: of('EventsNotPublished', 'submissions'),
    steps: 'media transcript webhook',
    consumers: 'submissions submissions-transcripts media transcription webhooks webhooks-events webhooks-feed',
  },
  { cause: { name: 'CollectorAway' }, steps: '', consumers: '' },
  { cause: { name: 'ClockSkewed', severity: 'ticket', job: 'submissions' }, steps: '', consumers: '' },
  { cause: { name: 'EndpointFailing', severity: 'ticket', recording_project_id: 'p' }, steps: '', consumers: '' },
  { cause: { name: 'EndpointsFailing', severity: 'ticket' }, steps: '', consumers: '' },
];

/**
 * A cause and its effect, which every request sends last. When the effect is silent, Alertmanager has handled the other
 * alerts.
 */
const CANARY: readonly Alert[] = ['MemoryNearLimit', 'EventLoopLate'].map(name => ({
  name,
  severity: 'ticket',
  instance: 'a',
}));

const running = new AsyncDisposableStack();
let url = '';
before(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'recording-request-inhibition-'));
  running.defer(() => rm(dataDir, { recursive: true, force: true }));
  await mkdir(join(dataDir, 'logs'));
  const config = join(dataDir, 'alertmanager.yaml');
  const nobody = { url: 'http://127.0.0.1:9/' };
  // Uses factor 1: the factor shortens only the waits before notifications, and nothing receives notifications here.
  await writeFile(config, alertmanagerConfig({ time: timeOf(1), page: nobody, ticket: nobody }));
  const program = await ensureAlertmanager({ env: process.env, log: line => console.error(line) });
  const alertmanager = await startAlertmanager(program, config, { dataDir, env: process.env });
  running.defer(async () => void (await alertmanager.child.stop(5_000)));
  ({ url } = alertmanager);
});
after(() => running.disposeAsync());

const HOUR_MS = 3_600_000;
let canary = 'canary';

/** Sends alerts that fire from now on, or that have ended now. */
async function send(alerts: readonly Alert[], { isOver = false } = {}): Promise<void> {
  const now = Date.now();
  const endsAt = new Date(isOver ? now : now + HOUR_MS).toISOString();
  const startsAt = new Date(now - 1_000).toISOString();
  const bodyOf = ({ name, ...labels }: Alert) => ({ labels: { alertname: name, ...labels }, startsAt, endsAt });
  // Each request ends the last canary and has a new one, because Alertmanager may know the state of the last one.
  const last = canary;
  canary = `canary-${randomUUID()}`;
  const body = [
    ...alerts.map(bodyOf),
    ...CANARY.map(alert => ({ ...bodyOf({ ...alert, job: last }), endsAt: new Date(now).toISOString() })),
    ...CANARY.map(alert => ({ ...bodyOf({ ...alert, job: canary }), endsAt: new Date(now + HOUR_MS).toISOString() })),
  ];
  const response = await fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, await response.text());
}

interface Managed {
  labels: Record<string, string>;
  status: { inhibitedBy: string[] };
}

async function inhibited(): Promise<Managed[]> {
  const response = await fetch(`${url}/api/v2/alerts`);
  const all = (await response.json()) as Managed[];
  return all.filter(({ status }) => status.inhibitedBy.length > 0);
}

/**
 * Returns the names of the firing alerts that another alert silences, when Alertmanager has seen the last request.
 * Alertmanager computes the state of each alert while it answers, so the answer that shows the canary may contain
 * older states. The next one does not.
 */
async function silenced(): Promise<string[]> {
  await until('Alertmanager has seen the request', async () =>
    (await inhibited()).some(({ labels }) => labels.job === canary),
  );
  return (await inhibited())
    .filter(({ labels }) => !labels.job?.startsWith('canary'))
    .map(({ labels: { alertname: name = '', ...labels } }) => named({ name, ...labels }))
    .sort();
}

async function expectSilenced(expected: readonly Alert[], what: string): Promise<void> {
  assert.deepEqual(await silenced(), expected.map(named).sort(), what);
}

const over = () => send([...EXPLAINED.map(({ cause }) => cause), ...SYMPTOMS.flat()], { isOver: true });

describe('a cause silences the symptoms of its own service and step', () => {
  afterEach(over);
  for (const { cause, steps, consumers } of EXPLAINED)
    test(named(cause), async () => {
      const isExplained = (symptom: Alert) =>
        symptom.recording_step
          ? steps.split(' ').includes(symptom.recording_step)
          : consumers.split(' ').includes(symptom.messaging_consumer_group_name!.slice(2));
      for (const symptoms of SYMPTOMS) {
        await send([cause, ...symptoms]);
        await expectSilenced(symptoms.filter(isExplained), 'beside the cause');
        await send(symptoms, { isOver: true });
      }
      const own = SYMPTOMS.flat().find(isExplained);
      if (own) {
        await send([cause, own]);
        await expectSilenced([own], 'while the cause lasts');
        await send([cause], { isOver: true });
        await expectSilenced([], 'after the cause has ended');
      }
    });
});

test('one broken promise opens one ticket', async () => {
  const tickets = [burns('media', 'ticket', '3'), burns('media', 'ticket', '1'), burns('webhook', 'ticket', '1')];
  await send(tickets);
  await expectSilenced([burns('media', 'ticket', '1')], 'the lesser ticket of the same promise is silent');
  await send(tickets, { isOver: true });
});

test('a slow process sends one page', async () => {
  const at = (name: string, instance: string, severity = 'page'): Alert => ({
    ...of(name, 'gateway'),
    severity,
    instance,
  });
  const all = [
    at('InstanceSlow', 'a'),
    at('ProcessPaused', 'a'),
    at('ProcessPaused', 'b'),
    at('EventLoopLate', 'b', 'ticket'),
  ];
  await send(all);
  await expectSilenced([at('ProcessPaused', 'a'), at('EventLoopLate', 'b')], 'the other process still pages');
  await send(all, { isOver: true });
});

test('one broken promise pages once, and does not silence another one', async () => {
  const media = [burns('media'), burns('media', 'ticket', '1'), waits('media')];
  await send([...media, burns('webhook'), waits('transcript')]);
  await expectSilenced([burns('media', 'ticket'), waits('media')], 'the most urgent alert of media stays');
  await send([...media, burns('webhook'), waits('transcript')], { isOver: true });
});
