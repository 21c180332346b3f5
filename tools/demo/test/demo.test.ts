import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runDemo } from '../src/run-demo.ts';

const SERVERS = [
  'MONGO_URL',
  'KAFKA_BROKERS',
  'S3_ENDPOINT',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'S3_REGION',
  'SPEECH_BASE_URL',
  'SPEECH_API_KEY',
  'SPEECH_MODEL',
];

test('the main job runs end to end: clips in; video, thumbnails, audio, transcript, webhooks and ZIP out', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-demo-'));
  try {
    const env = Object.fromEntries(SERVERS.map(name => [name, process.env[name] ?? '']));
    const { shareHeard } = await runDemo({
      servers: { env },
      dataDir: join(dir, 'data'),
      clipsDir: join(tmpdir(), 'recording-request-clips'),
      resultsDir: join(dir, 'results'),
      log: line => t.diagnostic(line),
      signal: t.signal,
    });
    assert.ok(shareHeard >= 0.8, `expected most words to be heard, got ${shareHeard}`);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
