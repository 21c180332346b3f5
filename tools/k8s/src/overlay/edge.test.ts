import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeFindings } from './edge.ts';
import { programsIn } from './environment.ts';
import { deployment, FROM_SETTINGS, faultsIn, notesIn, object, secretKey, settings } from './example-objects.ts';

const env = [secretKey('REDIS_URL', 'ours', true)];
const DATA = { PUBLIC_BASE_URL: 'https://clips.corp.internal', TRUSTED_PROXIES: '1' };
const route = (hostnames: string[] | undefined, parent: object = { name: 'edge', sectionName: 'https' }) =>
  object('HTTPRoute', 'gateway', {
    spec: { parentRefs: [parent], hostnames, rules: [{ backendRefs: [{ name: 'gateway', port: 80 }] }] },
  });

function findings(data: Record<string, string>, ...more: ReturnType<typeof route>[]) {
  const all = [deployment('gateway', { ...FROM_SETTINGS, env }), settings({ ...DATA, ...data }), ...more];
  return edgeFindings(programsIn(all), all);
}

test('compares the host of PUBLIC_BASE_URL with the edge', () => {
  assert.deepEqual(findings({}, route(['clips.corp.internal'])), []);
  assert.deepEqual(findings({}, route(['*.corp.internal'])), []);
  assert.deepEqual(faultsIn(findings({}, route(['clip.corp.internal']))), [
    'PUBLIC_BASE_URL has the host clips.corp.internal, but outside access serves clip.corp.internal: make them the same.',
  ]);
  assert.match(faultsIn(findings({}, route(undefined)))[0]!, /HTTPRoute gateway serves every host name/);
  const ingress = object('Ingress', 'gateway', { spec: { rules: [{ host: 'other.corp.internal' }], tls: [{}] } });
  assert.match(faultsIn(findings({}, ingress))[0]!, /serves other\.corp\.internal/);
});

test('finds a proxy that the gateway does not trust', () => {
  assert.match(
    faultsIn(findings({ TRUSTED_PROXIES: '0' }, route(['clips.corp.internal'])))[0]!,
    /TRUSTED_PROXIES is 0/,
  );
});

test('finds an edge that no policy lets in, and one that lets everybody in', () => {
  const fromEdge = (ingress: object[]) => object('NetworkPolicy', 'from-edge', { spec: { podSelector: {}, ingress } });
  const from = [{ podSelector: {} }];
  assert.match(faultsIn(findings({}, fromEdge([])))[0]!, /networks\.edge is empty/);
  for (const ports of [undefined, [{ port: 'http' }], [{ port: 8080 }], [{ port: 8000, endPort: 9000 }]])
    assert.deepEqual(findings({}, fromEdge([{ from, ports }])), []);
  for (const rule of [{}, { from: [] }, { ports: [{ port: 'http' }] }]) {
    const found = faultsIn(findings({}, fromEdge([{ from }, rule])));
    assert.match(found.join(), /^networks\.edge \(policy from-edge\) has a rule without peers in from, so everybody/);
    assert.deepEqual(findings({ ALLOW_HTTP_URLS: 'true' }, fromEdge([rule])), []);
  }
  for (const port of [{ port: 80 }, { port: 'https' }, { port: 8080, protocol: 'UDP' }])
    assert.match(
      faultsIn(findings({}, fromEdge([{ from, ports: [port] }]))).join(),
      /^networks\.edge \(policy from-edge\) does not allow the gateway's port http \(8080\): set ports/,
    );
});

test('finds a public address without TLS, except in a trial', () => {
  const http = { PUBLIC_BASE_URL: 'http://clips.corp.internal' };
  assert.match(faultsIn(findings(http)).join(), /^PUBLIC_BASE_URL begins with http:\/\//);
  assert.deepEqual(findings({ ...http, INTERNAL_PLAINTEXT: 'true' }), []);
});

test('notes a listener without TLS, and an offload without its nginx', () => {
  assert.match(notesIn(findings({}, route(['clips.corp.internal'], { name: 'edge' })))[0]!, /set sectionName/);
  const offload = findings({ MEDIA_OFFLOAD: 'accel' }, route(['clips.corp.internal']));
  assert.match(notesIn(offload)[0]!, /the nginx of deploy\/nginx must be in between/);
});

test('notes several gateways that no Redis connects', () => {
  const scaler = object('HorizontalPodAutoscaler', 'gateway', {
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'gateway' }, maxReplicas: 10 },
  });
  const toRedis = (egress: object[]) => object('NetworkPolicy', 'to-redis', { spec: { podSelector: {}, egress } });
  assert.match(
    notesIn(findings({}, scaler, toRedis([])))[0]!,
    /^NetworkPolicy to-redis has no egress.*up to 10 gateways/,
  );
  assert.match(
    faultsIn(findings({ REDIS_CA_FILE: '/servers-ca/redis.crt' }, scaler, toRedis([]))).join(),
    /^NetworkPolicy to-redis has no egress, .*; patch its egress\.$/,
  );
  assert.deepEqual(findings({}, scaler, toRedis([{}])), []);
  const without = object('Secret', 'ours', { stringData: {} });
  assert.match(notesIn(findings({}, scaler, without))[0]!, /without REDIS_URL/);
});
