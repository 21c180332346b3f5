import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readConfig } from '../src/config.ts';
import { mostMemory, toolMemory } from '../src/domain/memory.ts';

const MANIFEST = new URL('../../../deploy/k8s/base/media.yaml', import.meta.url);
const REQUIRED = {
  ...{ KAFKA_BROKERS: 'kafka:9092', SUBMISSIONS_GRPC: 'submissions:50051' },
  INTERNAL_PLAINTEXT: 'true',
  ...{ S3_ENDPOINT: 'http://store', S3_ACCESS_KEY: 'key', S3_SECRET_KEY: 'secret' },
};

test('the service with all admitted runs of ffmpeg and ffprobe fits into the memory limit of the manifest', async () => {
  const text = await readFile(MANIFEST, 'utf8');
  assert.doesNotMatch(text, /name: MEDIA_(?:(?:TOOL|PROBE)_MEMORY|\w*SLOTS)/, 'this test checks the defaults');
  const [, mebibytes] = /limits: \{[^}]*memory: (\d+)Mi/.exec(text) ?? assert.fail('no limit of memory in Mi');
  const limit = Number(mebibytes) * 1024 ** 2;
  const { concurrency, inspectConcurrency } = readConfig(REQUIRED);
  const slots = { jobs: concurrency, inspections: inspectConcurrency };
  const memory = toolMemory(slots, limit, {});
  assert.ok(mostMemory(slots, memory) <= limit, `${mostMemory(slots, memory)} bytes may be taken`);
  assert.deepEqual(
    memory,
    toolMemory(slots, Number.MAX_SAFE_INTEGER, {}),
    'no run has less memory than without a limit',
  );
});
