import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployment, faultsIn, object } from './example-objects.ts';
import { placementFindings } from './placement.ts';

const tolerating = (toleration: object) => {
  const media = deployment('media');
  media.spec.template.spec.tolerations = [toleration];
  return faultsIn(placementFindings([media]));
};

test('finds tolerations that the API server refuses', () => {
  for (const each of [
    { key: 'clips', value: 'yes', effect: 'NoExecute' },
    { key: 'clips', operator: 'Equal', value: '' },
    { key: 'clips', operator: 'Exists', effect: 'NoSchedule' },
    { operator: 'Exists' },
  ])
    assert.deepEqual(tolerating(each), []);
  assert.deepEqual(tolerating({ key: 'clips', operator: 'Equals', value: 'yes' }), [
    'Deployment media: the toleration of clips has the operator Equals: write Equal or Exists; a similar one is Equal.',
  ]);
  assert.deepEqual(tolerating({ key: 'clips', operator: 'Exists', effect: 'NoSchedul' }), [
    'Deployment media: the toleration of clips has the effect NoSchedul: write NoSchedule, PreferNoSchedule or NoExecute; a similar one is NoSchedule.',
  ]);
  assert.deepEqual(tolerating({ key: 'clips', operator: 'Exists', value: 'yes' }), [
    'Deployment media: the toleration of clips has the value yes, which the operator Exists refuses: remove it, or write Equal.',
  ]);
  assert.deepEqual(tolerating({ effect: 'NoSchedule' }), [
    'Deployment media: the toleration of every key has no key: name the key, or write the operator Exists.',
  ]);
});

test('finds a schedule without five fields', () => {
  const of = (schedule: string) => {
    const template = { spec: { containers: [] } };
    return faultsIn(
      placementFindings([object('CronJob', 'backup', { spec: { schedule, jobTemplate: { spec: { template } } } })]),
    );
  };
  for (const each of ['17 2 * * *', ' 0  */6 * * 1-5', '@daily']) assert.deepEqual(of(each), []);
  assert.deepEqual(of('17 2 * *'), [
    'CronJob backup: the schedule “17 2 * *” has 4 fields: write the minute, hour, day, month and weekday.',
  ]);
});
