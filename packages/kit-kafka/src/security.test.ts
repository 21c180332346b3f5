import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '@recording-request/kit/config';
import { kafkaFault } from './security.ts';
import { kafkaVariables } from './variables.ts';

const settings = loadConfig(
  {
    ...{ KAFKA_BROKERS: 'kafka:9094', KAFKA_TLS: 'true', KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512' },
    ...{ KAFKA_USERNAME: 'service', KAFKA_PASSWORD: 'the-password' },
  },
  kafkaVariables,
);
/** Returns the fault for an error that kafkajs throws without a cause. */
const faultOf = (why: string) => {
  const error = new Error(`SASL SCRAM SHA512 authentication failed: ${why}`);
  error.name = 'KafkaJSSASLAuthenticationError';
  return kafkaFault(error, settings);
};

test('a refused login is a fault, a login without an answer is not', () => {
  const refused = faultOf('Authentication failed during authentication due to invalid credentials with SASL mechanism');
  assert.match(refused!.message, /does not accept the password of service/);
  for (const why of [
    'Request SaslAuthenticate(key: 36, version: 1) timed out',
    'Closed connection',
    'Connection error: read ECONNRESET',
    'Connection timeout',
  ])
    assert.equal(faultOf(why), undefined, why);
});
