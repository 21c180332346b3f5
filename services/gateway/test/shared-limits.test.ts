import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Authority, makeAuthority } from '@recording-request/stack/authority';
import { ensureDebian } from '@recording-request/stack/install/debian';
import { freePort } from '@recording-request/stack/ports';
import { pino } from 'pino';
import { connectRedis } from '../src/adapters/redis.ts';
import { readConfig } from '../src/config.ts';
import { startTestGateway, type TestGateway } from './test-service.ts';

const LIMIT = 5;

/** Starts a real Redis from Debian, without stored data, with these options for its port. */
async function startRedis(ports: string[], dir: string) {
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir];
  const server = spawn('redis-server', [...ports, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
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
  const stopRedis = await startRedis(['--port', String(port)], dir);
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

/** Starts a Redis that accepts only TLS; returns its address and a function that stops it. */
async function startSecureRedis(authority: Authority, dir: string) {
  const { cert, key } = await authority.issue(['127.0.0.1']);
  const [certFile, keyFile] = [join(dir, 'redis.crt'), join(dir, 'redis.key')];
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  const port = String(await freePort());
  const files = ['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certFile];
  const options = ['--port', '0', '--tls-port', port, '--tls-auth-clients', 'no', ...files];
  return { url: `rediss://127.0.0.1:${port}`, stop: await startRedis(options, dir) };
}

test('gateways use a Redis whose certificate has a private authority, and one that they do not trust is named', async t => {
  await ensureDebian(['redis-server'], line => t.diagnostic(line));
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-redis-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const [authority, other] = [await makeAuthority(), await makeAuthority()];
  const [ca, otherCa] = [join(dir, 'ca.crt'), join(dir, 'other.crt')];
  await Promise.all([writeFile(ca, authority.cert), writeFile(otherCa, other.cert)]);
  const { url, stop } = await startSecureRedis(authority, dir);
  t.after(stop);
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: line => void lines.push(line) });
  const answerWith = async (redisCaFile: string) => {
    const redis = await connectRedis({ redisUrl: url, redisCaFile }, log);
    const answer = await redis.ping().catch(() => 'none');
    redis.disconnect();
    return answer;
  };
  assert.deepEqual([await answerWith(ca), lines], ['PONG', []]);
  assert.equal(await answerWith(otherCa), 'none');
  assert.match(lines.join(), /The certificate of Redis was not issued by an authority in REDIS_CA_FILE /);
  lines.length = 0;
  assert.equal(await answerWith(''), 'none');
  assert.match(lines.join(), /was not issued by an authority in Node’s own list: set REDIS_CA_FILE /);
  const env = { REDIS_URL: url, REDIS_CA_FILE: otherCa };
  await using gateway = await startTestGateway({}, env);
  assert.equal((await fetch(`${gateway.base}/api/docs.md`)).status, 200);
  await assert.rejects(startTestGateway({}, { ...env, REDIS_URL: 'redis://127.0.0.1:6379' }), {
    faults: ['REDIS_CA_FILE is set, but REDIS_URL is not a rediss:// address'],
  });
});
