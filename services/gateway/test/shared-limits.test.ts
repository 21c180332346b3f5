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
import { startTestGateway, type TestGateway } from './test-service.ts';

const LIMIT = 5;

/** Starts a real Redis from Debian, without stored data. */
async function startRedis(port: number, dir: string) {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  let printed = '';
  for await (const line of server.stdout.setEncoding('utf8')) {
    printed += line;
    if (printed.includes('Ready to accept connections')) break;
  }
  assert.match(printed, /Ready to accept connections/, printed);
  return async () => {
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
  t.after(stopRedis);
  const limits = { RATE_LIMIT_ADDRESS_PER_MINUTE: String(LIMIT), TRUSTED_PROXIES: '1' };
  const env = { REDIS_URL: `redis://127.0.0.1:${port}`, ...limits };
  await using first = await startTestGateway({}, env);
  await using second = await startTestGateway({}, env);
  const ask = async ({ base }: TestGateway, caller: string) => {
    const answer = await fetch(`${base}/api/docs.md`, { headers: { 'x-forwarded-for': caller } });
    await answer.body?.cancel();
    return answer;
  };
  const countedTogether = async (caller: string) => {
    for (let calls = 0; calls < LIMIT; calls++) {
      const answer = await ask(calls % 2 === 0 ? first : second, caller);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`r=${LIMIT - 1 - calls};`));
    }
    for (const harness of [first, second]) {
      const refused = await ask(harness, caller);
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
    }
  };
  // If the machine pauses, Redis may answer too late, and a gateway then counts a request in its own memory. The test
  // then repeats with another caller.
  for (let tries = 1; ; tries++) {
    try {
      await countedTogether(`192.0.2.${tries}`);
      break;
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
  await stopRedis();
  // The counts in Redis are unreachable, and no request waits for them.
  const startedAt = performance.now();
  for (const harness of [first, second]) {
    for (let calls = 0; calls < LIMIT; calls++) assert.equal((await ask(harness, '192.0.2.100')).status, 200);
    assert.equal((await ask(harness, '192.0.2.100')).status, 429);
  }
  assert.ok(performance.now() - startedAt < 30_000);
});

test('a gateway starts without its Redis, and refuses an invalid address by name', async () => {
  const env = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
  await using harness = await startTestGateway({}, env);
  assert.equal((await fetch(`${harness.base}/api/docs.md`)).status, 200);
  assert.throws(() => readConfig({ REDIS_URL: 'http://x' }), /REDIS_URL must/);
});
