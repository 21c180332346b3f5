import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig, StartError } from '@recording-request/kit/config';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { NotDone } from '../run-erase.ts';
import { faultOf } from './fault.ts';

const settings = loadConfig(
  { S3_ENDPOINT: 'http://store.test', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' },
  objectVariables,
);
const of = (error: Error) =>
  faultOf(error, { settings, name: '/backups/here' }, reason => `It was not finished: ${reason}. Run it again.`);
const withCode = (code: string, message: string) => Object.assign(new Error(message), { code });

test('names a full volume', () => {
  const error = of(withCode('ENOSPC', 'ENOSPC: no space left on device, write'));
  assert.ok(error instanceof NotDone);
  assert.equal(
    error.message,
    'It was not finished: the volume of /backups/here is full, make room on it. Run it again.',
  );
});

test('reports keys that the store rejects as a configuration error', () => {
  const error = of(withCode('SignatureDoesNotMatch', 'The request signature we calculated does not match'));
  assert.ok(error instanceof StartError);
  assert.match(error.message, /^The object store does not accept S3_ACCESS_KEY with S3_SECRET_KEY/);
});

test('reports the first line of any other failure', () => {
  assert.equal(of(new Error('It broke.\nat x')).message, 'It was not finished: It broke. Run it again.');
});
