import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { test } from 'node:test';
import { connect } from 'node:tls';
import type { DomainError } from '@recording-request/kit/errors';
import { createClient, refusalOf } from '@recording-request/kit-rpc/grpc-client';
import { openCaller } from '@recording-request/kit-rpc/internal/internal';
import {
  type ProjectsOperatorServiceServer,
  ProjectsOperatorServiceService,
} from '@recording-request/proto/operator/v1/projects';
import {
  type SubmissionsOperatorServiceServer,
  SubmissionsOperatorServiceService,
} from '@recording-request/proto/operator/v1/submissions';
import type { ServiceName } from '@recording-request/stack/service-plan';
import type { TestSystem } from '@recording-request/testing/test-system';

const NEVER = '019a0000-0000-7000-8000-000000000001';

/** Tests, at the running services, that a compromised pod with its own certificate has limited access. */
export function serviceIdentity(system: TestSystem): void {
  for (const name of ['webhooks', 'media', 'gateway'] as const)
    test(`the certificate of ${name} can create no token and erase nothing on any port`, async () => {
      using internal = await openCaller(system.certificates.env(name), name);
      const { projects, submissions } = system.services;
      for (const target of [projects.grpc!, projects.operator!]) {
        const client = createClient<ProjectsOperatorServiceServer>(
          ProjectsOperatorServiceService,
          target,
          internal.peer('projects'),
        );
        const token = { userId: NEVER, label: 'x', scopes: ['projects:read'], expiresAt: undefined };
        await refused(client.createApiToken(token), `${name} may not call`);
        await refused(client.createUser({ userName: 'x', videoLimit: undefined }), `${name} may not call`);
        await refused(client.eraseUser({ userId: NEVER, dryRun: false }), `${name} may not call`);
        client.close();
      }
      for (const target of [submissions.grpc!, submissions.operator!]) {
        const client = createClient<SubmissionsOperatorServiceServer>(
          SubmissionsOperatorServiceService,
          target,
          internal.peer('submissions'),
        );
        await refused(client.eraseSubmission({ submissionId: NEVER, dryRun: false }), `${name} may not call`);
        client.close();
      }
    });

  test('the services’ listeners refuse the operator', async () => {
    using internal = await openCaller(system.certificates.env('operator'), 'operator');
    const client = createClient<ProjectsOperatorServiceServer>(
      ProjectsOperatorServiceService,
      system.services.projects.grpc!,
      internal.peer('projects'),
    );
    await refused(client.listUsers({ pageSize: 1, afterUserId: '' }), 'operator may not call');
    client.close();
  });

  test('only the gateway may upload: others get 403, or no connection without a certificate', async () => {
    const { hostname, port } = new URL(system.services.submissions.http!);
    const ask = async (name: ServiceName): Promise<number> => {
      using internal = await openCaller(system.certificates.env(name), name);
      const createConnection = () =>
        connect({ host: hostname, port: Number(port), ...internal.tlsPeer('submissions')! });
      const headers = { 'tus-resumable': '1.0.0', 'x-owner-id': NEVER, 'x-link-id': NEVER, 'x-project-id': NEVER };
      const upload = request({ createConnection, method: 'HEAD', path: `/uploads/${NEVER}`, headers }).end();
      const [answer] = await once(upload, 'response');
      answer.resume();
      return answer.statusCode;
    };
    assert.notEqual(await ask('gateway'), 403);
    for (const name of ['webhooks', 'media', 'transcription', 'projects'] as const)
      assert.equal(await ask(name), 403, name);
    await assert.rejects(fetch(`http://${hostname}:${port}/uploads/${NEVER}`), 'plaintext');
  });
}

async function refused(call: Promise<unknown>, words: string): Promise<void> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (reason: DomainError) => reason,
  );
  assert.match(refusalOf(error) ?? String(error), new RegExp(words));
}
