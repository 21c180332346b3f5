import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { METRICS } from '@recording-request/telemetry-registry/metrics';
import { renderOverlay } from '../src/chart.ts';
import { faultsOf } from '../src/faults.ts';
import { ensureHelm, ensureManifestTools } from '../src/install.ts';
import { type Manifest, parse } from '../src/manifests.ts';
import { BASE } from '../src/repository.ts';
import { EXAMPLE, openChart } from './rendered-chart.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const tools = await ensureManifestTools(context);
const chart = await openChart(tools, await ensureHelm(context));
after(() => chart[Symbol.asyncDispose]());
const { template, refusal } = chart;

const PROMETHEUS = 'http://prometheus.example:9090';
const STREAMED = ['gateway', 'submissions'];
const component = (name: string) => join(BASE, '../scaling', name);
const rendered = async (...components: string[]) =>
  parse(await renderOverlay(tools, { resources: [BASE], components: components.map(component) }));
const ofKind = (all: Manifest[], kind: string): Record<string, Manifest['spec']> =>
  Object.fromEntries(
    all.filter(object => object.kind === kind).map(({ metadata, spec }) => [metadata.name, spec] as const),
  );
const behaviorOf = (scaled: Manifest['spec']) => scaled.advanced.horizontalPodAutoscalerConfig.behavior;

test('autoscalers remove one pod a minute, after five minutes of less load, and add pods without a limit', async () => {
  const behavior = {
    scaleDown: { stabilizationWindowSeconds: 300, policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] },
  };
  const byCpu = ofKind(await rendered('cpu'), 'HorizontalPodAutoscaler');
  assert.equal(Object.keys(byCpu).length, 6);
  for (const [name, spec] of Object.entries(byCpu)) assert.deepEqual(spec.behavior, behavior, name);
  for (const [name, spec] of Object.entries(ofKind(await rendered('streams'), 'ScaledObject')))
    assert.deepEqual(behaviorOf(spec), behavior, name);
});

test('by streams, KEDA takes over the autoscalers of the base, with their bounds and their CPU target', async () => {
  const base = ofKind(await rendered(), 'HorizontalPodAutoscaler');
  const all = await rendered('streams');
  const scaled = ofKind(all, 'ScaledObject');
  assert.deepEqual(Object.keys(ofKind(all, 'HorizontalPodAutoscaler')), ['projects']);
  assert.deepEqual(Object.keys(scaled), STREAMED);
  for (const [name, spec] of Object.entries(scaled)) {
    const before = base[name];
    assert.equal(spec.scaleTargetRef.name, before.scaleTargetRef.name);
    assert.deepEqual([spec.minReplicaCount, spec.maxReplicaCount], [before.minReplicas, before.maxReplicas]);
    const [cpu] = spec.triggers;
    assert.equal(cpu.metadata.value, String(before.metrics[0].resource.target.averageUtilization));
    // KEDA's webhook refuses a second autoscaler for a Deployment, unless KEDA takes over the first one by its name.
    assert.equal(spec.advanced.horizontalPodAutoscalerConfig.name, name);
  }
});

test('the queries have a metric of the registry and its kinds of slots', async () => {
  const metric = METRICS['recording.slots.used'];
  const kinds = metric.attributes['recording.slot.kind'];
  const queries = Object.values(ofKind(await rendered('streams'), 'ScaledObject')).map(
    ({ triggers }) => triggers[1].metadata.query as string,
  );
  for (const query of queries) {
    for (const [, name] of query.matchAll(/sum\((\w+)/g)) assert.equal(name, 'recording_slots_used');
    for (const [, job = ''] of query.matchAll(/job="(\w+)"/g)) assert.ok(STREAMED.includes(job), job);
    for (const [, kind] of query.matchAll(/recording_slot_kind="(\w+)"/g)) assert.ok(kinds.includes(`\`${kind}\``));
  }
});

test('the chart has the component’s objects, with the address and the number of streams in the values', async () => {
  const streams = { prometheus: PROMETHEUS };
  const text = await template({ streams, services: { gateway: { autoscaling: { streams: 30, max: 20 } } } }, EXAMPLE);
  assert.equal(await faultsOf(tools, text), '');
  const all = parse(text);
  const wanted = ofKind(await rendered('streams', 'keda'), 'ScaledObject');
  for (const name of STREAMED) wanted[name].triggers[1].metadata.serverAddress = PROMETHEUS;
  wanted.gateway.triggers[1].metadata.threshold = '30';
  wanted.gateway.maxReplicaCount = 20;
  assert.deepEqual(ofKind(all, 'ScaledObject'), wanted);
  assert.deepEqual(Object.keys(ofKind(all, 'HorizontalPodAutoscaler')), ['projects']);
  const few = { services: { gateway: { autoscaling: { streams: 30 } } } };
  assert.match(await refusal(few, EXAMPLE), /services\.gateway\.autoscaling\.streams needs streams\.prometheus/);
  const media = { streams, services: { media: { autoscaling: { streams: 30 } } } };
  assert.match(await refusal(media, EXAMPLE), /only gateway and submissions scale by streams/);
  assert.match(await refusal({ streams: { prometheus: 'prometheus:9090' } }, EXAMPLE), /\/streams\/prometheus/);
});

test('`behavior` of the values changes the autoscalers of Kubernetes and of KEDA; missing fields keep their default', async () => {
  const own = { scaleDown: { stabilizationWindowSeconds: 600 } };
  const services = Object.fromEntries(
    ['gateway', 'projects', 'media'].map(name => [name, { autoscaling: { behavior: own } }]),
  );
  const text = await template({ services, streams: { prometheus: PROMETHEUS } }, EXAMPLE);
  assert.equal(await faultsOf(tools, text), '');
  const { gateway, media } = ofKind(parse(text), 'ScaledObject');
  const { projects } = ofKind(parse(text), 'HorizontalPodAutoscaler');
  assert.deepEqual(behaviorOf(media), own);
  for (const behavior of [projects.behavior, behaviorOf(gateway)]) {
    assert.equal(behavior.scaleDown.stabilizationWindowSeconds, 600);
    assert.equal(behavior.scaleDown.policies[0].value, 1);
  }
});
