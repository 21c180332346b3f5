import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GetInvitationsRequest, Origin } from '@recording-request/proto/projects/v1/projects';
import { invitationsOf } from './invitations.ts';

const clip = (linkId: string, position: number, responseId: string) => ({ linkId, link: { position }, responseId });
const named = ({ linkId, responseSessionId }: Origin) => ({ metadata: { origin: `${linkId} ${responseSessionId}` } });

function source() {
  const requests: GetInvitationsRequest[] = [];
  return {
    requests,
    async getInvitations(request: GetInvitationsRequest) {
      requests.push(request);
      return { invitations: request.origins.map(named) };
    },
  };
}

test('each origin is asked for once; a response counts on the shared link alone', async () => {
  const asked = source();
  const clips = [clip('a', 1, 'r1'), clip('a', 1, 'r2'), clip('s', 0, 'r3'), clip('s', 0, 'r3'), clip('s', 0, 'r4')];
  const invitationOf = await invitationsOf(asked, 'p', clips);
  const origins = [
    { linkId: 'a', responseSessionId: '' },
    { linkId: 's', responseSessionId: 'r3' },
    { linkId: 's', responseSessionId: 'r4' },
  ];
  assert.deepEqual(asked.requests, [{ projectId: 'p', origins }]);
  assert.deepEqual(
    clips.map(each => invitationOf(each)?.metadata.origin),
    ['a ', 'a ', 's r3', 's r3', 's r4'],
  );
  assert.equal(invitationOf(clip('b', 2, 'r5')), undefined);
});

test('a call has at most 500 origins, and none asks for nothing', async () => {
  const asked = source();
  const clips = Array.from({ length: 1_001 }, (_, index) => clip(`l${index}`, index + 1, 'r'));
  const invitationOf = await invitationsOf(asked, 'p', clips);
  assert.deepEqual(
    asked.requests.map(({ origins }) => origins.length),
    [500, 500, 1],
  );
  for (const each of clips) assert.equal(invitationOf(each)?.metadata.origin, `${each.linkId} `);
  await invitationsOf(asked, 'p', []);
  assert.equal(asked.requests.length, 3);
});
