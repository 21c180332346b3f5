import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { FeedEvent } from '@recording-request/client';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { makeAuthority, makeSelfSigned } from '@recording-request/stack/authority';
import type { TestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { startKillingProxy } from '../harness/killing-proxy.ts';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { filesOf } from '../harness/mirror.ts';
import { rr, startRr } from '../harness/rr.ts';
import { openRrProject, type RrProject, type RrProjectOptions } from '../harness/rr-project.ts';

/** Tests that running commands continue after a restart of the system, and that commands explain a wrong certificate. */
export function commandLineOutage(data: RrProjectOptions & { system: TestSystem }): void {
  const { system } = data;
  describe('the command line, while the service restarts, and with certificates', () => {
    let work: RrProject;
    before(async () => {
      work = await openRrProject(data);
      await work.land(2);
    });
    after(() => work[Symbol.asyncDispose]());

    test('rr pull --watch and rr listen lose nothing when every service restarts', async () => {
      const { proxy, projectId, options, mirror, scratch, client } = work;
      await using receiver = await startReceiver();
      const listen = ['listen', '--forward-to', receiver.url, '--cursor-file', 'outage.cursor', '--since', '1d'];
      const listening = startRr([...listen, '--project', projectId], options);
      proxy.pieceBytes = 64;
      const reached = Promise.withResolvers<void>();
      proxy.after(1, /\/video$/, reached.resolve);
      const watching = startRr(['pull', projectId, 'watched', '--watch', '--interval', '1', '--json'], options);
      // The services stop in the middle of a download.
      await reached.promise;
      await system.restart();
      const [landed] = await work.land(1);
      const names = async () => [...(await filesOf(join(scratch, 'watched'))).keys()];
      await until('the new clip', async () => (await names()).some(name => name.includes(landed!)), SYSTEM_WAIT);
      const events: FeedEvent[] = [];
      for await (const event of client.events({ untilCaughtUp: true }))
        if (event.projectId === projectId) events.push(event);
      const wanted = events.map(({ eventId }) => eventId);
      const got = () => receiver.received.map(({ headers }) => String(headers['webhook-id']));
      await until('the last event', () => got().includes(wanted.at(-1)!), SYSTEM_WAIT);
      for (const running of [watching, listening]) {
        running.child.kill('SIGINT');
        const { code, stderr } = await running.done;
        assert.equal(code, 130, stderr);
      }
      assert.match(listening.stderr(), / Again in \d+ s\./);
      assert.deepEqual([...new Set(got())], wanted);
      const last = await rr(['pull', projectId, 'watched'], options);
      assert.equal(last.code, 0, last.stderr);
      await mirror.isSame(join(scratch, 'watched'));
    });

    test('an untrusted certificate is explained, and trusted with NODE_EXTRA_CA_CERTS', async () => {
      const authority = await makeAuthority();
      await writeFile(join(work.scratch, 'ca.pem'), authority.cert);
      const whoami = async (certificate: { key: string; cert: string }, env: Record<string, string> = {}) => {
        await using proxy = await startKillingProxy(system.baseUrl, { certificate });
        const { options } = work;
        return await rr(['whoami'], { ...options, env: { ...options.env, ...env, RR_BASE_URL: proxy.url } });
      };
      const names = ['localhost', '127.0.0.1'];
      const trusted = { NODE_EXTRA_CA_CERTS: join(work.scratch, 'ca.pem') };
      const good = await whoami(await authority.issue(names), trusted);
      assert.equal(good.code, 0, good.stderr);
      for (const certificate of [await authority.issue(names), await makeSelfSigned(names)]) {
        const { code, stdout, stderr } = await whoami(certificate);
        assert.deepEqual([code, stdout], [6, ''], stderr);
        assert.match(stderr, /certificate of the server is not trusted.*set NODE_EXTRA_CA_CERTS to its file/);
      }
      const others: [RegExp, { key: string; cert: string }][] = [
        [/has expired/, await authority.issue(names, { expired: true })],
        [/another address/, await authority.issue(['other.example'])],
      ];
      for (const [sentence, certificate] of others) {
        const { code, stderr } = await whoami(certificate, trusted);
        assert.equal(code, 6, stderr);
        assert.match(stderr, sentence);
        assert.doesNotMatch(stderr, /NODE_EXTRA_CA_CERTS/);
      }
    });
  });
}
