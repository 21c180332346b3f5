import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseTable } from '@recording-request/fault-test/table';
import { TRAEFIK } from '@recording-request/k8s/lab/traefik';
import { attemptOf, validatedOnly } from './validated-only.ts';

const EDGE = { name: 'edge', promise: 'clips land', needs: TRAEFIK };

test('a case whose program did not build is a row with the failed attempt', () => {
  const attempt = attemptOf(TRAEFIK, new Error('building traefik ended with 1: no route to host\nmore lines'));
  const row = validatedOnly(EDGE, { [TRAEFIK.name]: attempt });
  assert.deepEqual(row?.violations, []);
  assert.match(
    caseTable([row!]),
    /^edge .* validated only, as traefik v\S+ did not build from its Go module: building traefik ended with 1: no route to host \(clips land\)$/m,
  );
});

test('runs a case that needs no program, or a built one', () => {
  assert.equal(validatedOnly(EDGE, {}), undefined);
  assert.equal(validatedOnly({ name: 'install', promise: 'it runs' }, { [TRAEFIK.name]: 'tried' }), undefined);
});
