import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instanceId } from './instance-id.ts';

test('the id of a process is the name of its pod, else unique', () => {
  assert.equal(
    instanceId({ OTEL_RESOURCE_ATTRIBUTES: 'k8s.namespace.name=r, k8s.pod.name=media-7d4-x2 ,a=b' }),
    'media-7d4-x2',
  );
  const [one, another] = [instanceId({}), instanceId({ OTEL_RESOURCE_ATTRIBUTES: 'not.k8s.pod.name=x' })];
  assert.match(one, new RegExp(`^${process.pid}-[0-9a-f]{8}$`));
  assert.notEqual(one, another);
  assert.doesNotMatch(another, /x/);
});
