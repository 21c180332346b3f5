import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployment, FROM_SETTINGS, faultsIn, notesIn, object, policy, settings } from './example-objects.ts';
import { nameFindings } from './names.ts';

const gateway = deployment('gateway', FROM_SETTINGS);
const service = object('Service', 'gateway', { spec: { ports: [{ name: 'http', port: 80 }] } });
const route = (name: string, port: number) =>
  object('HTTPRoute', 'edge', { spec: { rules: [{ backendRefs: [{ name, port }] }] } });

test('finds no fault in references to objects that exist', () => {
  const scaler = object('HorizontalPodAutoscaler', 'gateway', {
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'gateway' } },
  });
  const all = [gateway, settings({}), service, route('gateway', 80), scaler, policy('dns', 'gateway', [])];
  assert.deepEqual(nameFindings(all), []);
});

test('names a missing ConfigMap, and a similar one', () => {
  const [fault] = faultsIn(nameFindings([gateway, object('ConfigMap', 'setings', { data: {} })]));
  assert.equal(
    fault,
    'Deployment gateway names the ConfigMap settings, which is not in the overlay; a similar one is setings.',
  );
});

test('names a missing backend, and a port that the Service lacks', () => {
  assert.match(
    faultsIn(nameFindings([service, route('gatway', 80)]))[0]!,
    /the Service gatway.*a similar one is gateway/,
  );
  assert.match(
    faultsIn(nameFindings([service, route('gateway', 8080)]))[0]!,
    /port 8080 of the Service gateway.*only 80/,
  );
  const ingress = object('Ingress', 'edge', {
    spec: { rules: [{ http: { paths: [{ backend: { service: { name: 'gateway', port: { name: 'https' } } } }] } }] },
  });
  assert.match(faultsIn(nameFindings([service, ingress]))[0]!, /port https of the Service gateway/);
});

test('names a missing target of an autoscaler', () => {
  const scaled = object('ScaledObject', 'media', { spec: { scaleTargetRef: { name: 'medai' } } });
  assert.match(
    faultsIn(nameFindings([deployment('media'), scaled]))[0]!,
    /the Deployment medai.*a similar one is media/,
  );
});

test('names a policy that selects no pod, except one for a server that may be added', () => {
  const all = [deployment('media'), policy('to-s3', 'medias', []), policy('speech-in', 'speech', [])];
  assert.deepEqual(faultsIn(nameFindings(all)), [
    'NetworkPolicy to-s3: podSelector matches no pod in the overlay: correct medias; a similar one is media.',
  ]);
});

test('notes a claim that somebody must create, and finds a misspelt one', () => {
  const volumes = [{ name: 'backups', persistentVolumeClaim: { claimName: 'backup' } }];
  const all = [deployment('media', {}, volumes)];
  assert.match(notesIn(nameFindings(all))[0]!, /create the PersistentVolumeClaim backup/);
  assert.match(
    faultsIn(nameFindings([...all, object('PersistentVolumeClaim', 'backups')]))[0]!,
    /the PersistentVolumeClaim backup, .*a similar one is backups/,
  );
});
