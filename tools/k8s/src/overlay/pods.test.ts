import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programsIn } from './environment.ts';
import { deployment, faultsIn, notesIn, object } from './example-objects.ts';
import { imagelessContainers, podFindings, withImages } from './pods.ts';

test('names a container that only a patch with a wrong name creates, and hides it from the other rules', () => {
  const media = deployment('media', { image: 'clips' });
  media.spec.template.spec.containers.push({ name: 'media', resources: {} });
  assert.deepEqual(faultsIn(imagelessContainers([media])), [
    'Deployment media has a container media without an image: a patch names a container that does not exist.',
  ]);
  assert.deepEqual(withImages([media]), [deployment('media', { image: 'clips' })]);
});

const findings = (...all: Parameters<typeof programsIn>[0]) => podFindings(programsIn(all), all);

test('finds requests above limits', () => {
  const of = (requests: object, limits: object) =>
    faultsIn(findings(deployment('media', { resources: { requests, limits } })));
  assert.deepEqual(of({ cpu: 2, memory: '1Gi' }, { memory: '1024Mi' }), []);
  assert.deepEqual(of({ cpu: '1500m', memory: '1Gi' }, { cpu: 1, memory: '1G' }), [
    'Deployment media: container service requests cpu 1500m, but its limit is 1: lower the request or raise the limit.',
    'Deployment media: container service requests memory 1Gi, but its limit is 1G: lower the request or raise the limit.',
  ]);
});

test('finds a stop that takes longer than Kubernetes waits', () => {
  const of = (grace: number, stop: string) => {
    const env = [{ name: 'STOP_GRACE_SECONDS', value: stop }];
    const media = deployment('media', { env, lifecycle: { preStop: { sleep: { seconds: 5 } } } });
    media.spec.template.spec.terminationGracePeriodSeconds = grace;
    return faultsIn(findings(media));
  };
  assert.deepEqual(of(300, '294'), []);
  assert.match(of(300, '295').join(), /^Deployment media: STOP_GRACE_SECONDS is 295, but .* after 300 s.* to 315,/);
});

test('finds an image of the operator’s pod that differs', () => {
  const admin = (image: string) => object('Pod', 'admin', { spec: { containers: [{ name: 'admin', image }] } });
  const gateway = deployment('gateway', { image: 'clips:2' });
  assert.deepEqual(findings(gateway, admin('clips:2')), []);
  assert.deepEqual(faultsIn(findings(gateway, admin('clips:1'))), [
    'Pod admin has the image clips:1, but Deployment gateway has clips:2: set the same image in both kustomizations.',
  ]);
});

test('finds workers with the image of the services', () => {
  const submissions = deployment('submissions', { image: 'clips' });
  assert.deepEqual(findings(submissions, deployment('media', { image: 'clips-workers' })), []);
  assert.deepEqual(faultsIn(findings(submissions, deployment('media', { image: 'clips' }))), [
    'Deployment media has the image clips of submissions, which has no ffmpeg: set the image of the workers.',
  ]);
});

test('notes different images of the services and the workers from one repository', () => {
  const submissions = deployment('submissions', { image: 'host:5000/clips:1@sha256:aa' });
  assert.deepEqual(findings(submissions, deployment('media', { image: 'host:5000/clips-workers:1@sha256:bb' })), []);
  assert.deepEqual(notesIn(findings(submissions, deployment('media', { image: 'host:5000/clips@sha256:bb' }))), [
    'media and submissions have images of the same repository host:5000/clips: check that the image of media has ffmpeg (the target workers).',
  ]);
});

test('finds a backup that goes nowhere', () => {
  const backup = (to: string, volumeMounts: object[] = []) => {
    const containers = [{ name: 'backup', image: 'clips', args: ['main.ts', 'backup', '--to', to], volumeMounts }];
    return object('CronJob', 'backup', { spec: { jobTemplate: { spec: { template: { spec: { containers } } } } } });
  };
  assert.deepEqual(findings(backup('s3://nightly')), []);
  assert.deepEqual(findings(backup('/backups/clips', [{ mountPath: '/backups' }])), []);
  assert.match(
    faultsIn(findings(backup('nightly')))[0]!,
    /goes to “nightly”, which is no bucket and no mounted folder/,
  );
});

test('notes pods without the pull Secret of the others', () => {
  const withPull = deployment('media');
  withPull.spec.template.spec.imagePullSecrets = [{ name: 'pull' }];
  assert.deepEqual(findings(withPull), []);
  assert.deepEqual(notesIn(findings(withPull, deployment('webhooks'))), [
    'Deployment webhooks lack the pull Secret pull that other pods have.',
  ]);
});

test('notes a task that lacks the nodes of all services', () => {
  const placed = (name: string, more: object = {}) => {
    const made = deployment(name);
    Object.assign(made.spec.template.spec, {
      nodeSelector: { pool: 'clips' },
      tolerations: [{ key: 'clips', value: 'yes' }],
      ...more,
    });
    return made;
  };
  const task = (spec: object) =>
    object('Job', 'migrate', { spec: { template: { spec: { containers: [], ...spec } } } });
  assert.deepEqual(notesIn(findings(placed('media'), placed('webhooks'), task({}))), [
    'Job migrate lacks nodeSelector pool: clips and the toleration of clips=yes, which all Deployments have: its pods may wait for ever.',
  ]);
  assert.deepEqual(findings(placed('media'), deployment('webhooks'), task({})), []);
  assert.deepEqual(
    findings(placed('media'), task({ nodeSelector: { pool: 'clips' }, tolerations: [{ operator: 'Exists' }] })),
    [],
  );
  assert.deepEqual(findings(placed('media'), task(placed('any').spec.template.spec)), []);
});
