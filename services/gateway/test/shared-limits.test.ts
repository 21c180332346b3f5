import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureDebian } from '@recording-request/stack/install/debian';
import { freePort } from '@recording-request/stack/ports';
import { readConfig } from '../src/config.ts';
import { type Bench, startBench } from './fakes.ts';

const LIMIT = 5;

/** A real Redis of Debian's, without anything kept. */
async function startRedis(port: number, dir: string) {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of server.stdout.setEncoding('utf8')) {
    if (String(line).includes('Ready to accept connections')) break;
  }
  return async () => {
    const ended = once(server, 'close');
    server.kill();
    await ended;
  };
}

test('two gateways count a caller together in Redis, and each alone while Redis is down', async t => {
  await ensureDebian(['redis-server'], line => t.diagnostic(line));
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-redis-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const port = await freePort();
  const stopRedis = await startRedis(port, dir);
  const env = { REDIS_URL: `redis://127.0.0.1:${port}`, RATE_LIMIT_ADDRESS_PER_MINUTE: String(LIMIT) };
  await using first = await startBench({}, env);
  await using second = await startBench({}, env);
  const ask = async ({ base }: Bench) => {
    const answer = await fetch(`${base}/api/docs.md`);
    await answer.body?.cancel();
    return answer;
  };
  try {
    for (let calls = 0; calls < LIMIT; calls++) {
      const answer = await ask(calls % 2 === 0 ? first : second);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`r=${LIMIT - 1 - calls};`));
    }
    for (const bench of [first, second]) {
      const refused = await ask(bench);
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
    }
  } finally {
    await stopRedis();
  }
  // What Redis counted is out of reach, and nobody waits for it.
  const startedAt = performance.now();
  for (const bench of [first, second]) {
    for (let calls = 0; calls < LIMIT; calls++) assert.equal((await ask(bench)).status, 200);
    assert.equal((await ask(bench)).status, 429);
  }
  assert.ok(performance.now() - startedAt < 5_000);
});

test('a gateway starts without its Redis, and an address that is none is refused by name', async () => {
  const env = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
  await using bench = await startBench({}, env);
  assert.equal((await fetch(`${bench.base}/api/docs.md`)).status, 200);
  assert.throws(() => readConfig({ REDIS_URL: 'http://x' }), /REDIS_URL must/);
});
