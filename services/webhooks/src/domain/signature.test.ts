import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { attemptHeaders } from './headers.ts';
import { serviceSignature, standardSignature } from './signature.ts';

// https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
test('the service signature matches a pinned vector', () => {
  assert.equal(
    serviceSignature(Buffer.from('Hello, World!'), "It's a Secret to Everybody"),
    'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  );
});

// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
test('the standard signature matches a pinned vector', () => {
  assert.equal(
    standardSignature('msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, Buffer.from('{"test": 2432232314}'), [
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ]),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

const event = {
  id: '0199c0de-0000-7000-8000-000000000001',
  type: 'submission.completed',
  body: Buffer.from('{"ä":1}'),
};
const options = () => ({ prefix: 'service', at: new Date() });

test('the standardwebhooks library verifies the signature with each kind of secret', () => {
  const encoded = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
  new Webhook(encoded).verify(event.body, attemptHeaders(event, [encoded], options()));
  const plain = 'any words, ümlauts too';
  // The library treats each character as one byte; this service uses UTF-8.
  const raw = new Webhook(Buffer.from(plain), { format: 'raw' });
  raw.verify(event.body, attemptHeaders(event, [plain], options()));
  assert.throws(() => raw.verify(Buffer.from('{"ä":2}'), attemptHeaders(event, [plain], options())));
});

test('during a rotation both secrets verify; the service signature uses the new one', () => {
  const headers = attemptHeaders(event, ['new', 'old'], options());
  assert.equal(headers['service-signature'], serviceSignature(event.body, 'new'));
  for (const secret of ['new', 'old']) new Webhook(secret, { format: 'raw' }).verify(event.body, headers);
  assert.throws(() => new Webhook('other', { format: 'raw' }).verify(event.body, headers));
});

test('without a secret there is no signature', () => {
  const headers = attemptHeaders(event, [], { prefix: 'acme', at: new Date(1614265330_900) });
  assert.deepEqual(Object.keys(headers).sort(), [
    'acme-event',
    'acme-event-id',
    'content-type',
    'user-agent',
    'webhook-id',
    'webhook-timestamp',
  ]);
  assert.equal(headers['webhook-timestamp'], '1614265330');
});
