/** Tests that no value leads a request to another address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Download, RecordingRequest, RecordingRequestError, UploadError } from '@recording-request/client';
import { json, scriptedServer } from './scripted-server.ts';

const clientOf = (url: string) => new RecordingRequest({ baseUrl: url, token: 'api_x', retries: 0 });

for (const value of ['', '.', '..', '../me', 'a/b', '..\\me'])
  test(`no request is sent for the id ${JSON.stringify(value)}, and the error names the parameter`, async () => {
    await using server = await scriptedServer(json({ state: 'proposed' }));
    const client = clientOf(server.url);
    const recorder = client.recorder('vr_x');
    const calls: [string, () => Promise<unknown>][] = [
      ['tokenId', () => client.links.erase('p', value, { confirm: 'c' })],
      ['tokenId', () => client.links.update('p', value, {})],
      ['tokenId', () => client.links.remind('p', value)],
      ['submissionId', () => client.submissions.erase('p', value, { confirm: 'c' })],
      ['submissionId', () => client.submissions.update('p', value, { selected: true })],
      ['noteId', () => client.submissions.removeNote('p', 's', value)],
      ['submissionId', () => client.submissions.video('p', value).bytes()],
      ['projectId', () => client.projects.get(value)],
      ['projectId', () => client.links.list(value).first()],
      ['deliveryId', () => client.webhooks.redeliver('p', value)],
      ['projectToken', () => client.dashboard(value).overview()],
      ['submissionId', () => client.dashboard('prj_x').submission(value)],
      ['responseSessionId', () => recorder.response(value)],
      ['responseSessionId', () => recorder.note(value, 'a note')],
    ];
    for (const [name, call] of calls)
      await assert.rejects(call, (error: Error) => {
        assert.ok(error instanceof RecordingRequestError, String(error));
        assert.match(error.message, new RegExp(`^${name} must not be empty`));
        return true;
      });
    assert.equal(server.seen.length, 0);
  });

test('an encoded id stays one segment, and a value inside a segment cannot end it', async () => {
  await using server = await scriptedServer(json({}));
  const client = clientOf(server.url);
  await client.projects.get('%2e%2e');
  await client.projects.get('a?b#c');
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    ['/api/projects/%252e%252e', '/api/projects/a%3Fb%23c'],
  );
  const files: Download[] = [
    client.submissions.thumbnail('p', 's', '/../../../../../me' as 'start'),
    client.submissions.transcript('p', 's', 'txt/../../../../../me' as 'txt'),
    client.dashboard('prj_x').thumbnail('s', '/../..' as 'start'),
    client.dashboard('prj_x').transcript('s', 'txt/../..' as 'txt'),
  ];
  for (const file of files) await assert.rejects(file.bytes(), /must not be empty/);
  assert.equal(server.seen.length, 2);
});

test('the address of a download cannot leave baseUrl', async () => {
  await using server = await scriptedServer(json({}));
  const client = clientOf(`${server.url}/rr`);
  for (const rest of ['/api/../../evil', '/api/%2e%2e/%2e%2e/evil', '/api\\..\\..\\evil', '/api/.\t./../evil'])
    assert.throws(() => client.download(`${server.url}/rr${rest}`), RecordingRequestError, rest);
  await assert.rejects(client.download(`${server.url}/rr/api/..%2f..%2fevil`).bytes(), RecordingRequestError);
  assert.equal(server.seen.length, 0);
  await client.download(`${server.url}/rr/api/x?y=a/../b`).bytes();
  assert.equal(server.seen[0]!.url, '/rr/api/x?y=a/../b');
});

test('no byte of a recording goes to another origin', async () => {
  await using other = await scriptedServer(json({}));
  const location = `${other.url}/r/vr_x/uploads/u1`;
  await using server = await scriptedServer((_, response) =>
    response.writeHead(201, { 'tus-resumable': '1.0.0', location }).end(),
  );
  const recorder = clientOf(server.url).recorder('vr_x');
  const stored: string[] = [];
  const options = { responseSessionId: 'r', onAddress: (address: string) => void stored.push(address) };
  const refused = (error: Error) => error instanceof UploadError && /not at the origin/.test(error.message);
  await assert.rejects(recorder.upload(Buffer.from('secret'), options), refused);
  await assert.rejects(recorder.upload(Buffer.from('secret'), { ...options, address: location }), refused);
  await assert.rejects(recorder.discard(location), refused);
  assert.deepEqual([server.seen.length, other.seen, stored], [1, [], []]);
});
