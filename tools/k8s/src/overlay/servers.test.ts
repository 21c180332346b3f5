import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programsIn } from './environment.ts';
import { deployment, FROM_SETTINGS, faultsIn, notesIn, object, policy, settings } from './example-objects.ts';
import { addressFindings, reachFindings, serversIn } from './servers.ts';

const allowed = (cidr: string, port: number) => ({ to: [{ ipBlock: { cidr } }], ports: [{ port }] });

const findingsWith = async (data: Record<string, string>, egress: object[], more: ReturnType<typeof object>[] = []) => {
  const all = [
    deployment('transcription', FROM_SETTINGS),
    settings(data),
    policy('to-speech', 'transcription', egress),
    ...more,
  ];
  return await reachFindings(programsIn(all), all);
};

test('reads servers from addresses, lists and MongoDB’s URLs', () => {
  const of = (value: string) => serversIn(value).map(({ host, port }) => `${host}:${port}`);
  assert.deepEqual(of('https://s3.corp.internal'), ['s3.corp.internal:443']);
  assert.deepEqual(of('http://[fd00::7]:9000/v1'), ['fd00::7:9000']);
  assert.deepEqual(of('kafka-1:9092, kafka-2:9093'), ['kafka-1:9092', 'kafka-2:9093']);
  assert.deepEqual(of('mongodb://user:p@m-1,m-2:27018/?replicaSet=rs0'), ['m-1:27017', 'm-2:27018']);
  assert.deepEqual(of('mongodb+srv://user:p@cluster.corp.internal'), []);
  assert.deepEqual(of('rediss://:p@redis.corp.internal'), ['redis.corp.internal:6379']);
});

test('names the setting, the server, the service and the network that must allow it', async () => {
  const data = { SPEECH_BASE_URL: 'https://speech.corp.internal:8443/v1' };
  assert.deepEqual(faultsIn(await findingsWith(data, [allowed('10.4.0.0/24', 443)])), [
    'SPEECH_BASE_URL: the network policies do not let transcription reach speech.corp.internal:8443: allow it in networks.speech (policy to-speech).',
  ]);
  assert.deepEqual(await findingsWith(data, [allowed('10.4.0.0/24', 8443)]), []);
});

test('with kustomize, names the policy of a server that installation.yaml does not have', async () => {
  const data = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.corp.internal:4318' };
  assert.match(
    faultsIn(await findingsWith(data, [])).join(),
    /:4318: patch the egress of the NetworkPolicy to-telemetry\.$/,
  );
  const ofHelm = object('ConfigMap', 'any');
  ofHelm.metadata.labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  assert.match(
    faultsIn(await findingsWith(data, [], [ofHelm])).join(),
    /allow it in networks\.telemetry \(policy to-telemetry\)\.$/,
  );
});

test('notes a policy for another namespace than that of a server’s name', async () => {
  const of = (host: string, namespace: string) =>
    findingsWith({ SPEECH_BASE_URL: `http://${host}:8000/v1` }, [
      {
        to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }],
        ports: [{ port: 8000 }],
      },
    ]);
  assert.deepEqual(await of('whisper.speech', 'speech'), []);
  assert.deepEqual(notesIn(await of('whisper.speech', 'monitoring')), [
    'SPEECH_BASE_URL: the network policies do not let transcription reach whisper.speech:8000: allow it in networks.speech (policy to-speech), unless whisper.speech is no Service in the namespace speech.',
  ]);
  assert.match(faultsIn(await of('whisper.speech.svc', 'monitoring')).join(), /do not let transcription reach/);
  const [port] = faultsIn(
    await findingsWith({ SPEECH_BASE_URL: 'http://whisper.corp:8000' }, [allowed('10.4.0.0/24', 443)]),
  );
  assert.match(port!, /do not let transcription reach whisper\.corp:8000: .*\(policy to-speech\)\.$/);
  // The name leads to an external server, through a gateway of the cluster.
  assert.deepEqual(await of('speech.corp.internal', 'monitoring'), []);
});

test('names all servers of a setting in one sentence', async () => {
  const all = [
    deployment('media', FROM_SETTINGS),
    settings({ KAFKA_BROKERS: 'kafka-1.corp.internal:9094,kafka-2.corp.internal:9094' }),
    policy('to-kafka', 'media', [allowed('10.2.0.0/24', 9092)]),
  ];
  const faults = faultsIn(await reachFindings(programsIn(all), all));
  assert.equal(faults.length, 1);
  assert.match(faults[0]!, /let media reach kafka-1\.corp\.internal:9094 and kafka-2\.corp\.internal:9094:/);
});

test('compares a literal address with the blocks', async () => {
  const [data, other] = [{ SPEECH_BASE_URL: 'http://10.4.0.9/v1' }, { SPEECH_BASE_URL: 'http://10.5.0.9/v1' }];
  assert.deepEqual(await findingsWith(data, [allowed('10.4.0.0/24', 80)]), []);
  assert.match(faultsIn(await findingsWith(other, [allowed('10.4.0.0/24', 80)]))[0]!, /reach 10\.5\.0\.9:80/);
});

test('follows a Service of the overlay to its pods', async () => {
  const data = { SPEECH_BASE_URL: 'http://speech/v1' };
  const selector = { 'app.kubernetes.io/name': 'speech' };
  const service = object('Service', 'speech', { spec: { selector, ports: [{ port: 80, targetPort: 'http' }] } });
  const pod = deployment('speech', { ports: [{ name: 'http', containerPort: 8000 }] });
  const to = (port: number) => [{ to: [{ podSelector: { matchLabels: selector } }], ports: [{ port }] }];
  assert.deepEqual(await findingsWith(data, to(8000), [service, pod]), []);
  const ofPod = { SPEECH_BASE_URL: 'http://speech-0.speech.clips.svc/v1' };
  assert.deepEqual(await findingsWith(ofPod, to(8000), [service, pod]), []);
  for (const each of [data, ofPod, { SPEECH_BASE_URL: 'http://speech-0.speech/v1' }])
    assert.equal(faultsIn(await findingsWith(each, to(80), [service, pod])).length, 1);
});

test('only notes a Service outside the overlay, whose pods may have another port', async () => {
  const data = { SPEECH_BASE_URL: 'http://speech.models.svc/v1' };
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'models' } };
  const found = await findingsWith(data, [{ to: [{ namespaceSelector }], ports: [{ port: 8000 }] }]);
  assert.deepEqual([faultsIn(found).length, notesIn(found).length], [0, 1]);
  const elsewhere = await findingsWith(data, [allowed('10.4.0.0/24', 80)]);
  assert.match(faultsIn(elsewhere)[0]!, /reach speech\.models\.svc:80/);
});

test('only notes a server that a policy of another kind may allow', async () => {
  const select = (name: string) => ({
    spec: { endpointSelector: { matchLabels: { 'app.kubernetes.io/name': name } } },
  });
  const cilium = object('CiliumNetworkPolicy', 'speech', select('transcription'), 'cilium.io/v2');
  const found = await findingsWith({ SPEECH_BASE_URL: 'https://speech.corp.internal/v1' }, [], [cilium]);
  assert.deepEqual(faultsIn(found), []);
  assert.match(notesIn(found)[0]!, /unless CiliumNetworkPolicy speech does\.$/);
  const other = object('CiliumNetworkPolicy', 'speech', select('media'), 'cilium.io/v2');
  const toPorts = [{ ports: [{ port: '53' }] }];
  const dns = object(
    'CiliumNetworkPolicy',
    'dns',
    { spec: { endpointSelector: {}, egress: [{ toPorts }] } },
    'cilium.io/v2',
  );
  const refused = await findingsWith({ SPEECH_BASE_URL: 'https://speech.corp.internal/v1' }, [], [other, dns]);
  assert.equal(faultsIn(refused).length, 1);
});

test('names an address of a service that is no Service of the overlay', () => {
  const service = object('Service', 'projects', { spec: { ports: [{ port: 50051 }] } });
  const of = (value: string) => {
    const all = [deployment('gateway', FROM_SETTINGS), settings({ PROJECTS_GRPC: value }), service];
    return faultsIn(addressFindings(programsIn(all), all));
  };
  assert.deepEqual(of('dns:///projects:50051'), []);
  assert.deepEqual(of('dns:///project:50051'), [
    'PROJECTS_GRPC=dns:///project:50051: there is no Service project with the port 50051; a similar one is projects.',
  ]);
  assert.equal(of('dns:///projects:50052').length, 1);
});
