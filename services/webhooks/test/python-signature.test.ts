import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { type Receiver, startReceiver } from '@recording-request/harness/webhook-receiver';
import {
  ensureStandardWebhooks,
  type StandardWebhooksInstall,
} from '@recording-request/stack/install/standardwebhooks';
import { createSender, type Sender } from '../src/adapters/http-sender.ts';
import { attemptHeaders } from '../src/domain/headers.ts';

let library: StandardWebhooksInstall;
let receiver: Receiver;
let sender: Sender;
before(async () => {
  library = await ensureStandardWebhooks({ env: process.env, log: () => {} });
  receiver = await startReceiver();
  const options = { allowHttp: true, allowPrivate: true, timeoutMs: 5_000, answerBytes: 1024, dnsServers: undefined };
  sender = createSender(options);
});
after(async () => {
  await sender?.close();
  await receiver?.[Symbol.asyncDispose]();
});

// A receiver in Python. It uses the raw bytes and headers.
const VERIFY = `
import base64, datetime, json, sys
from standardwebhooks import Webhook, WebhookVerificationError

def verdict(case):
    secret = case["secret"]
    webhook = Webhook(secret if secret.startswith("whsec_") else secret.encode())
    try:
        return webhook.verify(base64.b64decode(case["body"]), case["headers"])["id"]
    except WebhookVerificationError as error:
        return str(error)

pinned = Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").sign(
    msg_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp=datetime.datetime.fromtimestamp(1614265330, tz=datetime.timezone.utc),
    data='{"test": 2432232314}')
json.dump({"pinned": pinned, "verdicts": [verdict(case) for case in json.load(sys.stdin)]}, sys.stdout)
`;

interface Case {
  secret: string;
  body: string;
  headers: Record<string, unknown>;
}

async function verify(cases: Case[]): Promise<{ pinned: string; verdicts: string[] }> {
  const child = spawn(library.command, ['-c', VERIFY], {
    env: { ...process.env, ...library.env },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 30_000,
  });
  child.stdin.end(JSON.stringify(cases));
  return JSON.parse(await text(child.stdout));
}

/** Sends one event over HTTP and returns the bytes and headers that the receiver got. */
async function received(secrets: string[], at = new Date()): Promise<Omit<Case, 'secret'>> {
  const id = '0199c0de-0000-7000-8000-000000000001';
  const body = Buffer.from(JSON.stringify({ id, note: 'Grüße, 日本' }));
  const headers = attemptHeaders({ id, type: 'submission.completed', body }, secrets, { prefix: 'service', at });
  const before = receiver.received.length;
  const sent = await sender.send({ url: receiver.url, headers, body }, AbortSignal.timeout(10_000));
  assert.equal(sent.status, 204);
  const request = receiver.received[before]!;
  return { body: request.body.toString('base64'), headers: request.headers };
}

test('a receiver in Python verifies an event with the standardwebhooks library', async () => {
  const encoded = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
  const plain = 'any words, ümlauts too';
  const signed = await received([encoded]);
  const rotating = await received([encoded, plain]);
  const old = await received([encoded], new Date(Date.now() - 3_600_000));
  const changed = { ...signed, body: Buffer.from('{"id": "another"}').toString('base64') };
  const { pinned, verdicts } = await verify([
    { secret: encoded, ...signed },
    { secret: plain, ...(await received([plain])) },
    { secret: encoded, ...rotating },
    { secret: plain, ...rotating },
    { secret: 'another secret', ...rotating },
    { secret: encoded, ...changed },
    { secret: encoded, ...old },
    { secret: encoded, ...(await received([])) },
  ]);
  const id = '0199c0de-0000-7000-8000-000000000001';
  assert.deepEqual(verdicts.slice(0, 4), [id, id, id, id], 'the current secret, and both during a rotation');
  assert.match(verdicts[4]!, /No matching signature/i);
  assert.match(verdicts[5]!, /No matching signature/i);
  assert.match(verdicts[6]!, /too old/i);
  assert.match(verdicts[7]!, /Missing required headers/i);
  assert.equal(pinned, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=', 'this is the intended library');
});
