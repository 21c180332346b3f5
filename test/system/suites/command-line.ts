import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TestClip } from '@recording-request/testing/clip';
import type { Owner, TestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { type Finished, type RrOptions, rr, startRr } from '../harness/rr.ts';

const PEOPLE = 'name,reference,meta.team\nAna,P-1,North\n"=1+1",P-2,South\n';

/** The fixtures of the command line suites. */
export interface CommandLineData {
  system: TestSystem;
  owner: Owner;
  mute: TestClip;
}

/** Plays an owner's and a contributor's work through the command `rr`. */
export function commandLine({ system, owner, mute }: CommandLineData): void {
  describe('the command line', () => {
    let scratch: string;
    let env: Record<string, string | undefined>;
    before(async () => {
      scratch = await mkdtemp(join(tmpdir(), 'recording-request-rr-'));
      env = {
        ...{ XDG_CONFIG_HOME: join(scratch, 'config'), XDG_STATE_HOME: join(scratch, 'state') },
        ...{ RR_BASE_URL: undefined, RR_TOKEN: undefined, RR_WEBHOOK_SECRET: undefined },
      };
    });
    after(() => rm(scratch, { recursive: true, force: true }));

    const run = (args: string[], options: RrOptions = {}) =>
      rr(args, { cwd: scratch, ...options, env: { ...env, ...options.env } });
    const passes = async (args: string[], options?: RrOptions): Promise<Finished> => {
      const finished = await run(args, options);
      assert.equal(finished.code, 0, `rr ${args.join(' ')}: ${finished.stderr}`);
      return finished;
    };
    const json = async (args: string[], options?: RrOptions) =>
      JSON.parse((await passes([...args, '--json'], options)).stdout);
    const fails = async (code: number, sentence: RegExp, args: string[], options?: RrOptions): Promise<void> => {
      const finished = await run(args, options);
      assert.equal(finished.code, code, `rr ${args.join(' ')}: ${finished.stderr}`);
      assert.match(finished.stderr, sentence);
      assert.doesNotMatch(finished.stderr, /\n {4}at |api_\w{8}/);
    };
    let projectId: string;

    test('stores a token that works, and only that', async () => {
      await Promise.all([
        fails(3, /There is no address\. Run rr login/, ['whoami']),
        fails(3, /401|token/i, ['login', system.baseUrl], { input: `api_${'x'.repeat(43)}\n` }),
        fails(2, /begins with api_/, ['login', system.baseUrl], { input: 'secret\n' }),
        fails(6, /not the address of the service/, ['login', `${system.baseUrl}/r`], { input: `${owner.token}\n` }),
      ]);
      await assert.rejects(stat(join(scratch, 'config')), { code: 'ENOENT' });
      const { stdout } = await passes(['login', `${system.baseUrl}/`], { input: `${owner.token}\n` });
      assert.doesNotMatch(stdout, /api_/);
      const stats = await stat(join(scratch, 'config/recording-request'));
      assert.equal(stats.mode & 0o777, 0o600);
      const me = await json(['whoami']);
      assert.deepEqual([me.userId, me.baseUrl], [owner.userId, system.baseUrl]);
      await fails(3, /for which the token was stored/, ['whoami'], { env: { RR_BASE_URL: 'http://127.0.0.1:9' } });
      const given = { RR_BASE_URL: system.baseUrl, RR_TOKEN: owner.token, XDG_CONFIG_HOME: '/nowhere' };
      assert.match((await passes(['whoami'], { env: given })).stdout, /scopes/);
    });

    test('explains a missing scope, a wrong address, a page of a proxy, and an address without TLS', async () => {
      const { secret: RR_TOKEN } = await system.accounts.createToken(owner.userId, { scopes: ['profile:read'] });
      await using proxy = await answering('<html>Sign in</html>', 'text/html');
      const at = (RR_BASE_URL: string) => ({ env: { RR_BASE_URL, RR_TOKEN } });
      await Promise.all([
        fails(3, /scope projects:read.*Ask the operator/, ['projects', 'list'], at(system.baseUrl)),
        fails(6, /answered 200 with text\/html.*proxies/, ['projects', 'list'], at(proxy.url)),
        fails(6, /ECONNREFUSED.*Check the address/, ['whoami'], at(await closedUrl())),
        fails(
          6,
          /ERR_SSL_.*does not speak HTTPS.*begin with http\./,
          ['whoami'],
          at(system.baseUrl.replace('http:', 'https:')),
        ),
      ]);
    });

    test('creates a project, changes it and finds it by its name', async () => {
      await writeFile(join(scratch, 'settings.json'), JSON.stringify({ webhookSecret: 'a secret of the test' }));
      const created = await json([
        ...['projects', 'create', 'By rr', '--count', '1', '--shared', '20'],
        ...['--set', 'noteEnabled=true', '--settings', 'settings.json'],
      ]);
      ({ projectId } = created);
      const updated = await json(['projects', 'update', 'By rr', '--set', 'successMessage=Thanks']);
      assert.deepEqual([updated.successMessage, updated.noteEnabled, updated.webhookSigned], ['Thanks', true, true]);
      const [listed, shown] = await Promise.all([
        json(['projects', 'list', 'By']),
        passes(['projects', 'show', projectId]),
      ]);
      assert.deepEqual([listed.projects[0].projectId, listed.projects.length], [projectId, 1]);
      assert.match(shown.stdout, /successMessage +Thanks/);
      await Promise.all([
        fails(2, /Other users can see arguments/, ['projects', 'update', projectId, '--set', 'webhookSecret=x']),
        fails(5, /maxDurationSec/, ['projects', 'update', projectId, '--set', 'maxDurationSec=0']),
        fails(4, /No project has this id or exact name/, ['projects', 'show', 'By']),
      ]);
      assert.ok((await json(['projects', 'close', projectId])).closedAt);
      assert.equal((await json(['projects', 'close', projectId, '--reopen'])).closedAt, null);
    });

    test('invites the people of a table, and shows the lines of its faults', async () => {
      await writeFile(join(scratch, 'faults.csv'), 'name,dueAt\nAna,tomorrow\nBen,\n');
      await writeFile(join(scratch, 'people.csv'), PEOPLE);
      await Promise.all([
        fails(5, /faults\.csv:2: dueAt: /, ['invite', projectId, 'faults.csv', '--dry-run']),
        fails(5, /faults\.csv:2: dueAt: /, ['invite', projectId, 'faults.csv']),
        fails(7, /no such file.*nobody\.csv/, ['invite', projectId, 'nobody.csv']),
      ]);
      assert.match(
        (await passes(['invite', projectId, 'people.csv', '--dry-run'])).stdout,
        /^2 people would get a link/,
      );
      await assert.rejects(stat(join(scratch, 'links.csv')), { code: 'ENOENT' });
      const first = await json(['invite', projectId, 'people.csv']);
      const written = await readFile(join(scratch, 'links.csv'), 'utf8');
      const [head, ana, formula] = written.split('\r\n');
      assert.equal(head, '"name","reference","email","locale","dueAt","meta.team","recipientUrl","tokenId"');
      assert.match(ana!, /^"Ana","P-1","","","","North","http.*\/r\/vr_/);
      assert.match(formula!, /^"'=1\+1",/);
      await fails(7, /links\.csv exists already/, ['invite', projectId, 'people.csv']);
      // Acts as if the answer was lost: the same table must give the same links.
      await rm(join(scratch, 'links.csv'));
      assert.deepEqual((await json(['invite', projectId, 'people.csv'])).links, first.links);
      assert.equal(await readFile(join(scratch, 'links.csv'), 'utf8'), written);
      await writeFile(join(scratch, 'more.csv'), `${PEOPLE}Cem,P-3,East\n`);
      await fails(5, /more\.csv:2: .*already/, ['invite', projectId, 'more.csv', '--out', 'more-links.csv']);
      const more = await json(['invite', projectId, 'more.csv', '--skip-duplicates', '--out', 'more-links.csv']);
      assert.deepEqual([more.created, more.skipped.length], [1, 2]);
    });

    test('sends a recording, refuses what is none, and lists who is missing', async () => {
      await writeFile(join(scratch, 'take.webm'), mute.bytes);
      await writeFile(join(scratch, 'no-video.webm'), 'This is no video.');
      const { people } = await json(['missing', projectId]);
      const links = Object.fromEntries(
        people.map((each: { recipient?: { reference: string }; recipientUrl: string }) => [
          each.recipient?.reference ?? '',
          each.recipientUrl,
        ]),
      );
      await fails(5, /video/, ['send', links['P-2'], 'no-video.webm']);
      const landed = await json(['send', links['P-1'], 'take.webm', '--note', 'Hello']);
      assert.match(landed.submissionId, /^[0-9a-f-]{36}$/);
      const { stdout } = await passes(['missing', projectId]);
      assert.doesNotMatch(stdout, /P-1/);
      assert.match(stdout, /Cem +P-3 +invited/);
    });

    test('ends by Ctrl-C with 130', async () => {
      const listening = startRr(['listen', '--cursor-file', 'stopped.cursor'], { cwd: scratch, env });
      await until('rr listens', () => /Listening/.test(listening.stderr()), SYSTEM_WAIT);
      listening.child.kill('SIGINT');
      assert.equal((await listening.done).code, 130);
      await assert.rejects(stat(join(scratch, 'stopped.cursor.lock')), { code: 'ENOENT' });
    });

    test('causes an event with a bundled clip in a sandbox', async () => {
      const [event, due] = await Promise.all([
        json(['trigger', 'submission.completed']),
        fails(2, /TYPE must be one of/, ['trigger', 'submission.lost']),
      ]);
      assert.equal(due, undefined);
      assert.equal(event.data.submission.sandbox, true);
      const closed = await json(['trigger', 'link.closed']);
      assert.deepEqual([closed.type, closed.projectId], ['link.closed', event.projectId]);
      await fails(5, /is no sandbox/, ['trigger', 'submission.completed', '--project', projectId]);
    });

    test('erases a project after it has shown the data', async () => {
      const dry = await json(['projects', 'erase', projectId, '--dry-run']);
      assert.deepEqual([dry.state, dry.counts.submissions], ['proposed', 1]);
      await fails(2, /Nothing was erased.*--yes/, ['projects', 'erase', projectId]);
      const proof = await json(['projects', 'erase', projectId, '--yes']);
      assert.deepEqual([proof.state, proof.left], ['erased', 0]);
      await fails(4, /./, ['projects', 'show', projectId]);
    });
  });
}

/** Returns an address at which nothing listens. */
async function closedUrl(): Promise<string> {
  await using server = await answering('', 'text/plain');
  return server.url;
}

/** A server that answers everything with one text. */
async function answering(text: string, type: string) {
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': type }).end(text));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
