import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUpload } from '@recording-request/harness/tus';
import { startReceiver } from '@recording-request/harness/webhook-receiver';

test('an upload is created as the protocol requires, and its URL is absolute', async () => {
  await using server = await startReceiver();
  server.respond = (_request, response) => response.writeHead(201, { location: '/r/vr_x/uploads/u1' }).end();
  const metadata = { filetype: 'video/webm', questionIndex: 2 };
  const { response, url, id } = await createUpload(server.url, { metadata, headers: { 'x-link-id': 'l' } });
  assert.deepEqual([response.status, url, id], [201, new URL('/r/vr_x/uploads/u1', server.url).href, 'u1']);
  const { headers } = server.received[0]!;
  assert.deepEqual(
    ['tus-resumable', 'upload-defer-length', 'upload-length', 'upload-metadata', 'x-link-id'].map(
      name => headers[name],
    ),
    ['1.0.0', '1', undefined, 'filetype dmlkZW8vd2VibQ==,questionIndex Mg==', 'l'],
  );
});
