import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignatureError, webhooks } from '@recording-request/client';
import { attemptHeaders } from '@recording-request/webhooks/domain/headers';
import { Webhook } from 'standardwebhooks';

const WHSEC = `whsec_${Buffer.from('the 32 bytes of a secret, or so.').toString('base64')}`;
const ID = '019a3f1b-9a00-7c3e-b1a7-6a2f40c9d202';
const BODY = Buffer.from(JSON.stringify({ id: ID, type: 'submission.completed', createdAt: 'now', data: { ü: '🎬' } }));
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Signs as the library of Standard Webhooks does. */
function signed(secret: string, body: Buffer = BODY, seconds = nowSeconds()): Record<string, string> {
  const webhook = secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret), { format: 'raw' });
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(seconds),
    'webhook-signature': webhook.sign(ID, new Date(seconds * 1000), body),
  };
}

for (const secret of [WHSEC, 'any other text, ünicode'])
  test(`unwrap returns an event that was signed with ${secret.slice(0, 6)}…`, async () => {
    const headers = signed(secret);
    const event = await webhooks.unwrap(BODY, headers, secret);
    assert.deepEqual(event, JSON.parse(BODY.toString()));
    assert.deepEqual(await webhooks.unwrap(BODY.toString(), new Headers(headers), secret), event);
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    assert.deepEqual(await webhooks.unwrap(BODY, capitals, secret), event);
    assert.deepEqual(await webhooks.unwrap(BODY, headers, ['an old secret', secret]), event);
    const [one, other] = [signed('new')['webhook-signature'], headers['webhook-signature']];
    const both = { ...headers, 'webhook-signature': `v1a,xx ${one} ${other}` };
    assert.deepEqual(await webhooks.unwrap(BODY, both, secret), event);
  });

test('unwrap refuses every request that the secret did not sign', async () => {
  const headers = signed(WHSEC);
  const spaced = Buffer.from(BODY.toString().replace(',', ', '));
  const refused: [string, Buffer, Record<string, string | undefined>, string][] = [
    ['another body', spaced, headers, WHSEC],
    ['another secret', BODY, headers, 'whsec_AAAA'],
    ['an empty secret', BODY, headers, ''],
    ['a secret that is not base64', BODY, headers, 'whsec_%%%%'],
    ['another id', BODY, { ...headers, 'webhook-id': 'x' }, WHSEC],
    [
      'another time',
      BODY,
      { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) },
      WHSEC,
    ],
    ['a request of six minutes ago', BODY, signed(WHSEC, BODY, nowSeconds() - 360), WHSEC],
    ['a request of the future', BODY, signed(WHSEC, BODY, nowSeconds() + 360), WHSEC],
    ['a time that is no number', BODY, { ...headers, 'webhook-timestamp': '1e9' }, WHSEC],
    ['no time', BODY, { ...headers, 'webhook-timestamp': undefined }, WHSEC],
    ['no signature', BODY, { ...headers, 'webhook-signature': undefined }, WHSEC],
    ['an empty signature', BODY, { ...headers, 'webhook-signature': 'v1,' }, WHSEC],
    ['a cut signature', BODY, { ...headers, 'webhook-signature': headers['webhook-signature']!.slice(0, -4) }, WHSEC],
    [
      'another version',
      BODY,
      { ...headers, 'webhook-signature': `v2${headers['webhook-signature']!.slice(2)}` },
      WHSEC,
    ],
    ['a body that is no JSON', Buffer.from('{'), signed(WHSEC, Buffer.from('{')), WHSEC],
  ];
  for (const [what, body, given, secret] of refused)
    await assert.rejects(webhooks.unwrap(body, given, secret), SignatureError, what);
  const old = signed(WHSEC, BODY, nowSeconds() - 360);
  assert.ok(await webhooks.unwrap(BODY, old, WHSEC, { toleranceSeconds: 400 }));
});

test('an unusable secret does not refuse what another one signed, and alone it is refused', async () => {
  const headers = signed(WHSEC);
  for (const unusable of ['', 'whsec_%%%%', undefined as unknown as string]) {
    assert.ok(await webhooks.unwrap(BODY, headers, [unusable, WHSEC]));
    await assert.rejects(webhooks.unwrap(BODY, headers, unusable), SignatureError);
    await assert.rejects(webhooks.unwrap(BODY, headers, [unusable, 'another']), SignatureError);
  }
  await assert.rejects(webhooks.unwrap(BODY, headers, []), SignatureError);
});

test('a tolerance that is no number accepts nothing, and a signed null is no event', async () => {
  const old = signed(WHSEC, BODY, nowSeconds() - 360);
  await assert.rejects(webhooks.unwrap(BODY, old, WHSEC, { toleranceSeconds: Number.NaN }), SignatureError);
  for (const text of ['null', '5'])
    await assert.rejects(webhooks.unwrap(text, signed(WHSEC, Buffer.from(text)), WHSEC), SignatureError);
});

test('sign makes the headers that the service sends', async () => {
  for (const secret of [WHSEC, 'plain, ünicode']) {
    const event = { id: ID, type: 'submission.completed', body: BODY };
    const made = await webhooks.sign({ ...event, secret, timestamp: 1_764_489_600 });
    const options = { prefix: 'service', at: new Date(1_764_489_600_000) };
    const { 'user-agent': _, ...sent } = attemptHeaders(event, [secret], options);
    assert.deepEqual(made, sent);
    assert.ok(await webhooks.unwrap(BODY, await webhooks.sign({ ...event, secret, prefix: 'x' }), secret));
  }
});
