import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { type ActOnLinksRequest, LinkAction } from '@recording-request/proto/projects/v1/projects';
import { OWNER_ID, PROJECT_ID, startTestGateway } from './test-service.ts';

const harness = await startTestGateway();
after(() => harness[Symbol.asyncDispose]());

const ONE = '019a0000-0000-7000-8000-00000000000a';
const TWO = '019a0000-0000-7000-8000-00000000000b';
let asked: ActOnLinksRequest[];
beforeEach(() => {
  asked = [];
  harness.behind.projects = {
    async actOnLinks(request) {
      asked.push(request);
      const links = request.linkIds.map((linkId, index) => ({
        ...{ linkId, refusal: index === 0 ? '' : 'not_remindable', sentence: index === 0 ? '' : 'Sent already.' },
      }));
      return { links, replayed: request.idempotencyKey === 'again' };
    },
  };
});

const send = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${harness.base}/api/projects/${PROJECT_ID}/link-actions`, {
    method: 'POST',
    headers: { ...harness.bearer, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test('an action names each link once and answers for each', async () => {
  const answer = await send(
    { action: 'remind', tokenIds: [ONE.toUpperCase(), TWO, ONE] },
    { 'idempotency-key': 'again' },
  );
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(await answer.json(), {
    ...{ projectId: PROJECT_ID, action: 'remind', done: 1 },
    links: [
      { tokenId: ONE, done: true, code: null, error: null },
      { tokenId: TWO, done: false, code: 'not_remindable', error: 'Sent already.' },
    ],
  });
  const [{ ownerId, action, linkIds, bodyHash }] = asked as [ActOnLinksRequest];
  assert.deepEqual(
    [ownerId, action, linkIds, bodyHash.length],
    [OWNER_ID, LinkAction.LINK_ACTION_REMIND, [ONE, TWO], 32],
  );
  await send({ action: 'disable', tokenIds: [ONE, TWO] });
  assert.notDeepEqual(Buffer.from(asked[1]!.bodyHash), Buffer.from(bodyHash), 'another action is another request');
});

test('a wrong action, a wrong id and an unbounded list are 400, and call no service', async () => {
  const many = Array.from({ length: 501 }, () => ONE);
  const bodies: [body: object, field: RegExp][] = [
    [{ action: 'erase', tokenIds: [ONE] }, /^action must be one of remind, disable, enable/],
    [{ action: 'remind', tokenIds: [] }, /^tokenIds must have 1 to 500 entries/],
    [{ action: 'remind', tokenIds: many }, /^tokenIds must have 1 to 500 entries/],
    [{ action: 'remind', tokenIds: ['x'] }, /^tokenIds\[0\] must be a UUID/],
    [{ tokenIds: [ONE] }, /^action is required/],
    [{ action: 'remind', tokenIds: [ONE], force: true }, /force/],
  ];
  for (const [body, field] of bodies) {
    const answer = await send(body);
    assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 80));
    assert.match(((await answer.json()) as { error: string }).error, field);
  }
  assert.equal(asked.length, 0);
});
