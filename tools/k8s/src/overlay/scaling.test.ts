import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programsIn } from './environment.ts';
import { deployment, FROM_SETTINGS, faultsIn, object, secretKey, settings } from './example-objects.ts';
import { doubleScalers, replicaFaults, scalingFindings } from './scaling.ts';

const KAFKA = { bootstrapServersFromEnv: 'KAFKA_BROKERS', consumerGroup: 'media', topic: 'media.work' };
const LOGIN = { KAFKA_TLS: 'true', KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512' };
const authenticationRef = { name: 'kafka' };
const login = object('TriggerAuthentication', 'kafka', { spec: { env: [{ name: 'KAFKA_PASSWORD' }] } });

function faults(metadata: object, data: Record<string, string> = {}, trigger: object = {}, ...more: (typeof login)[]) {
  const all = [
    deployment('media', { ...FROM_SETTINGS, env: [secretKey('KAFKA_PASSWORD', 'ours', true)] }),
    settings({ KAFKA_BROKERS: 'kafka-1:9092', ...data }),
    object('ScaledObject', 'media', {
      spec: {
        scaleTargetRef: { name: 'media', envSourceContainerName: 'service' },
        triggers: [{ type: 'kafka', metadata: { ...KAFKA, ...metadata }, ...trigger }],
      },
    }),
    ...more,
  ];
  return faultsIn(scalingFindings(programsIn(all), all));
}

test('accepts triggers that fit the settings', () => {
  assert.deepEqual(faults({}), []);
  assert.deepEqual(faults({ tls: 'enable', sasl: 'scram_sha512' }, LOGIN, { authenticationRef }, login), []);
  const prefix = { topic: 'a.media.work', consumerGroup: 'a.media' };
  assert.deepEqual(faults(prefix, { KAFKA_TOPIC_PREFIX: 'a.' }), []);
});

test('names topics, groups and brokers that differ', () => {
  assert.deepEqual(faults({ topic: 'media.works' }), [
    'ScaledObject media: the group media reads the topic media.work, not media.works.',
  ]);
  assert.match(
    faults({}, { KAFKA_TOPIC_PREFIX: 'a.' })[0]!,
    /no service has the consumer group media with KAFKA_TOPIC_PREFIX “a\.”: patch the trigger to consumerGroup: a\.media and topic: a\.media\.work\.$/,
  );
  const literal = { bootstrapServersFromEnv: undefined, bootstrapServers: 'kafka-2:9092' };
  assert.match(faults(literal)[0]!, /bootstrapServers differs from KAFKA_BROKERS/);
  assert.match(faults({ bootstrapServersFromEnv: 'BROKERS' })[0]!, /BROKERS is not among the variables of media/);
});

test('names a login that differs', () => {
  assert.deepEqual(faults({}, LOGIN), [
    'ScaledObject media: tls is disable, but with KAFKA_TLS=true it must be enable: use the component scaling/keda-login.',
    'ScaledObject media: sasl is none, but with KAFKA_SASL_MECHANISM=SCRAM-SHA-512 it must be scram_sha512: use the component scaling/keda-login.',
  ]);
  const secure = { tls: 'enable', sasl: 'scram_sha512' };
  const plain = { ...secure, sasl: 'plaintext' };
  assert.match(faults(plain, LOGIN, { authenticationRef }, login).join(), /must be scram_sha512: patch sasl\.$/);
  assert.match(faults(secure, LOGIN)[0]!, /authenticationRef is missing/);
  assert.match(faults(secure, LOGIN, { authenticationRef })[0]!, /there is no TriggerAuthentication kafka/);
  const other = object('TriggerAuthentication', 'kafka', { spec: { env: [{ name: 'PASSWORD' }] } });
  assert.match(faults(secure, LOGIN, { authenticationRef }, other)[0]!, /reads PASSWORD, which the container of media/);
  assert.match(faults({}, { ...LOGIN, KAFKA_SASL_MECHANISM: 'OAUTHBEARER' })[0]!, /cannot log in with OAUTHBEARER/);
});

test('finds two autoscalers of one Deployment', () => {
  const scaler = (kind: string, name: string, target: string) =>
    object(kind, name, { spec: { scaleTargetRef: { name: target } } });
  assert.deepEqual(
    doubleScalers([scaler('ScaledObject', 'media', 'media'), scaler('ScaledObject', 'other', 'other')]),
    [],
  );
  assert.deepEqual(
    faultsIn(
      doubleScalers([scaler('ScaledObject', 'media', 'media'), scaler('HorizontalPodAutoscaler', 'cpu', 'media')]),
    ),
    ['ScaledObject media and HorizontalPodAutoscaler cpu scale the same media: keep one of them.'],
  );
});

test('finds more pods of webhooks than partitions', () => {
  const of = (kind: string, fields: object, data: Record<string, string> = {}) => {
    const scaler = object(kind, 'webhooks', { spec: { scaleTargetRef: { name: 'webhooks' }, ...fields } });
    const all = [deployment('webhooks', FROM_SETTINGS), settings(data), scaler];
    return faultsIn(replicaFaults(programsIn(all), all));
  };
  assert.deepEqual(of('ScaledObject', { maxReplicaCount: 6 }), []);
  assert.deepEqual(of('ScaledObject', { maxReplicaCount: 7 }, { KAFKA_PARTITIONS: '12' }), []);
  assert.deepEqual(of('ScaledObject', { maxReplicaCount: 7 }), [
    'ScaledObject webhooks: maxReplicaCount is 7, but KAFKA_PARTITIONS is 6, and other pods would do nothing: lower maxReplicaCount.',
  ]);
  assert.match(of('HorizontalPodAutoscaler', { maxReplicas: 4 }, { KAFKA_PARTITIONS: '3' })[0]!, /maxReplicas is 4/);
});
