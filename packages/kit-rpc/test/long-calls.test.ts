import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@recording-request/kit/log';
import { type ExportsServiceServer, ExportsServiceService } from '@recording-request/proto/exports/v1/exports';
import { type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import { everyServiceEnv } from '@recording-request/testing/test-certificates';
import { createClient } from '../src/grpc-client.ts';
import { implement, startGrpcServer } from '../src/grpc-server.ts';
import { openCaller } from '../src/internal/internal.ts';

// A connection takes no new calls after 20 s. These calls continue so long after this time that a ping of the client
// could disturb them.
const CALL_MS = 34_000;
const request = { ownerId: 'o', projectId: 'p', format: 1, filter: undefined, includeLinks: false } as const;
const internal = await openCaller(await everyServiceEnv(), 'gateway');
after(() => internal[Symbol.dispose]());

test('an inspection of a long video and an export continue after their connection closes to new calls', async t => {
  const server = await startGrpcServer({
    listen: '127.0.0.1:0',
    log: createLogger('test', 'silent'),
    internal,
    callersOf: () => ['gateway'],
    services: [
      implement<MediaServiceServer>(MediaServiceService, {
        async inspect(_request, { signal }) {
          await delay(CALL_MS, undefined, { signal });
          return { inspection: undefined };
        },
      }),
      implement<Pick<ExportsServiceServer, 'export'>>(
        { export: ExportsServiceService.export },
        {
          async *export(_request, { signal }) {
            yield { chunk: Buffer.from('first') };
            await delay(CALL_MS, undefined, { signal });
            yield { chunk: Buffer.from('last') };
          },
        },
      ),
    ],
  });
  t.after(() => server.close(0));
  const media = createClient<MediaServiceServer>(MediaServiceService, server.address, internal.peer('media'));
  const exports = createClient<ExportsServiceServer>(
    ExportsServiceService,
    server.address,
    internal.peer('submissions'),
  );
  t.after(() => {
    media.close();
    exports.close();
  });
  const read = async () => {
    const chunks: string[] = [];
    for await (const { chunk } of exports.export(request)) chunks.push(Buffer.from(chunk).toString());
    return chunks;
  };
  const [looked, chunks] = await Promise.all([
    media.inspect({ objectKey: 'x' }, { deadlineMs: CALL_MS + 15_000 }),
    read(),
  ]);
  assert.equal(looked.inspection, undefined);
  assert.deepEqual(chunks, ['first', 'last']);
});
