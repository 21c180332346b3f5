import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { startTestGateway, type TestGateway } from './test-service.ts';

const CLIENT = '203.0.113.9';
const FORGED = '192.0.2.66';

/** Returns the address that the gateway uses for a request with this header. */
async function clientOf({ base }: TestGateway, forwardedFor?: string) {
  const headers: Record<string, string> = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return (await (await fetch(`${base}/healthz/client`, { headers })).json()) as {
    address: string;
    forwardedFor: string[];
  };
}

/**
 * Sends anonymous requests with these addresses. Returns the number of requests that the limit of each address has
 * counted.
 */
async function countsOf({ base }: TestGateway, addresses: string[], path: string): Promise<number[]> {
  const counts: number[] = [];
  for (const address of addresses) {
    const { headers } = await fetch(base + path, { headers: { 'x-forwarded-for': address } });
    const [, max] = /q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
    const [, left] = /r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
    counts.push(Number(max) - Number(left));
  }
  return counts;
}

test('a peer that is not one of the proxies cannot forge its address, not even in a request without a route', async () => {
  await using elsewhere = await startTestGateway({}, { TRUSTED_PROXIES: '10.0.7.0/24' });
  assert.deepEqual(await clientOf(elsewhere, FORGED), { address: '127.0.0.1', forwardedFor: [FORGED] });
  const forged = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
  assert.deepEqual(await countsOf(elsewhere, forged, '/api/docs.md'), [1, 2, 3]);
  assert.deepEqual(await countsOf(elsewhere, forged, '/%zz'), [1, 2, 3]);
});

test('behind a proxy of the list, a client has the address that the proxy saw, whatever the client claims', async () => {
  await using gateway = await startTestGateway({}, { TRUSTED_PROXIES: '127.0.0.0/8' });
  const both = `${FORGED}, ${CLIENT}`;
  assert.deepEqual(await clientOf(gateway, both), { address: CLIENT, forwardedFor: [FORGED, CLIENT] });
  const claims = [1, 2, 3].map(at => `192.0.2.${at}, ${CLIENT}`);
  assert.deepEqual(await countsOf(gateway, claims, '/api/docs.md'), [1, 2, 3]);
  assert.deepEqual(await countsOf(gateway, [`${FORGED}, 203.0.113.10`], '/api/docs.md'), [1]);
});

test('shows at most twenty entries of X-Forwarded-For, and none without the header', async () => {
  await using gateway = await startTestGateway({}, { TRUSTED_PROXIES: '1' });
  assert.deepEqual(await clientOf(gateway), { address: '127.0.0.1', forwardedFor: [] });
  const many = Array.from({ length: 30 }, (_, at) => `192.0.2.${at}`);
  const shown = await clientOf(gateway, many.join(', '));
  assert.deepEqual(shown, { address: '192.0.2.29', forwardedFor: many.slice(0, 20) });
  assert.ok(!(await (await fetch(`${gateway.base}/api/openapi.json`)).text()).includes('/healthz'), 'not public');
});

for (const [proxies, forwardedFor, told] of [
  ['2', CLIENT, /1 entries in X-Forwarded-For, fewer than TRUSTED_PROXIES \(2\)/],
  ['0', CLIENT, /private address sends X-Forwarded-For but is not one of TRUSTED_PROXIES/],
  ['1', CLIENT, undefined],
] as const)
  test(`with TRUSTED_PROXIES=${proxies}, ${told ? 'logs one warning' : 'logs no warning'} about requests with one entry`, async () => {
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (text: string) => void lines.push(JSON.parse(text)) });
    await using gateway = await startTestGateway({}, { TRUSTED_PROXIES: proxies }, { log });
    await fetch(`${gateway.base}/healthz`);
    for (let at = 0; at < 3; at++)
      await fetch(`${gateway.base}/api/me`, { headers: { 'x-forwarded-for': forwardedFor } });
    const about = lines.map(({ msg }) => msg).filter(msg => msg.includes('X-Forwarded-For'));
    assert.equal(about.length, told ? 1 : 0);
    if (told) assert.match(about[0]!, told);
    assert.doesNotMatch(about.join(), new RegExp(CLIENT));
  });
