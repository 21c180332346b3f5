import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helmFaults, kustomizeFaults } from './render.ts';

test('shows kustomize’s message in one line', () => {
  assert.deepEqual(kustomizeFaults('Error: no such file\n  or folder'), [
    'kustomize refuses the overlay: no such file or folder',
  ]);
});

test('separates the faults that Helm prints together', () => {
  const schema = `Error: values don't meet the specifications of the schema(s) in the following chart(s):
recording-request:
- at '': missing property 'secretName'
- at '/settings': additional properties 'a' not allowed
`;
  assert.deepEqual(helmFaults(schema), [
    "values: at '': missing property 'secretName'",
    "values: at '/settings': additional properties 'a' not allowed",
  ]);
  const failed = `Error: execution error at (recording-request/templates/objects.yaml:9:4): settings.A=x is a placeholder
images.workers.digest is a placeholder

Use --debug flag to render out invalid YAML
`;
  assert.deepEqual(helmFaults(failed), ['settings.A=x is a placeholder', 'images.workers.digest is a placeholder']);
});
