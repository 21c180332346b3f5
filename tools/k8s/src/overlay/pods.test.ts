import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployment, faultsIn } from './example-objects.ts';
import { imagelessContainers, withImages } from './pods.ts';

test('names a container that only a patch with a wrong name creates, and hides it from the other rules', () => {
  const media = deployment('media', { image: 'clips' });
  media.spec.template.spec.containers.push({ name: 'media', resources: {} });
  assert.deepEqual(faultsIn(imagelessContainers([media])), [
    'Deployment media has a container media without an image: a patch names a container that does not exist.',
  ]);
  assert.deepEqual(withImages([media]), [deployment('media', { image: 'clips' })]);
});
