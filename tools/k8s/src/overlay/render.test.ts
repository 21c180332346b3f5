import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helmFaults, kustomizeFaults } from './render.ts';

test('shows kustomize’s message in one line', () => {
  assert.deepEqual(kustomizeFaults('Error: no such file\n  or folder'), [
    'kustomize refuses the overlay: no such file or folder',
  ]);
});

test('names the cause where the component doctor comes after no-variables', () => {
  const field =
    'spec.template.spec.containers.[name=service].env.[name=OTEL_EXPORTER_OTLP_HEADERS].valueFrom.secretKeyRef.name';
  const [sentence] = kustomizeFaults(
    `Error: fieldPath \`${field}\` is missing for replacement source Deployment.gateway`,
  );
  assert.match(sentence!, / is missing .*: list the component doctor in the overlay that no-variables changes\.$/);
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
