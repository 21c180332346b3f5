import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startReceiver } from '@recording-request/harness/webhook-receiver';
import { clear, fill, mountSmall } from '@recording-request/testing/small-disk';
import { until } from '@recording-request/testing/wait';
import { SYSTEM_WAIT } from '../harness/limits.ts';
import { filesOf } from '../harness/mirror.ts';
import { type Finished, rr, startRr } from '../harness/rr.ts';
import { openRrProject, type RrProject, type RrProjectOptions, SECRET } from '../harness/rr-project.ts';

const CLIPS = 4;
const BLOCK = 4_096;
const VIDEO = /\/video$/;

/** Tests the commands, mostly `rr pull` and `rr listen`, with full disks, HTML pages of proxies and other faults. */
export function commandLineMirror(data: RrProjectOptions): void {
  describe('the mirror and the events of the command line, in trouble', () => {
    let work: RrProject;
    before(async () => {
      work = await openRrProject(data);
      await work.land(CLIPS);
    });
    after(() => work[Symbol.asyncDispose]());

    const pull = (...args: string[]): Promise<Finished> => rr(['pull', work.projectId, ...args], work.options);
    const pulled = async (...args: string[]) => {
      const { code, stdout, stderr } = await pull(...args, '--json');
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    const at = (folder: string) => join(work.scratch, folder);

    test('rr pull repairs, moves and erases files, and keeps foreign ones', async () => {
      const { mirror, scratch, clips } = work;
      await pulled('mirror', '--by', 'date');
      await writeFile(join(scratch, 'mirror', 'own.txt'), 'mine');
      const [first, second] = await clips();
      const erased = first!.submissionId;
      await work.erase(erased);
      const files = await readdir(at('mirror'), { recursive: true });
      await writeFile(join(at('mirror'), files.find(file => file.includes(second!.submissionId))!), 'damaged');
      const kept = await pulled('mirror', '--by', 'date', '--keep-erased');
      assert.deepEqual([kept.changed, kept.removed], [1, 1]);
      assert.ok((await readdir(at('mirror'), { recursive: true })).some(file => file.includes(erased)));
      assert.equal((await pulled('mirror')).bytes, 0, 'files are moved, not fetched again');
      assert.equal(await readFile(join(at('mirror'), 'own.txt'), 'utf8'), 'mine');
      await rm(join(at('mirror'), 'own.txt'));
      await mirror.isSame(at('mirror'));
    });

    test('two rr pull into one folder: one works, the other refuses', async () => {
      const other = await data.owner.createProject({ projectName: 'Other', count: 1 });
      const { proxy, options } = work;
      proxy.pieceBytes = 64;
      const reached = Promise.withResolvers<void>();
      proxy.after(1, VIDEO, reached.resolve);
      const first = startRr(['pull', work.projectId, 'shared', '--by', 'reference'], options);
      await reached.promise;
      first.child.kill('SIGSTOP');
      const second = await pull('shared');
      assert.equal(second.code, 7);
      assert.match(second.stderr, /Another rr uses the folder/);
      first.child.kill('SIGCONT');
      assert.equal((await first.done).code, 0);
      const foreign = await rr(['pull', other.projectId, 'shared'], options);
      assert.equal(foreign.code, 7);
      assert.match(foreign.stderr, /has the clips of the project/);
      await work.mirror.isSame(at('shared'), 'reference');
    });

    test('rr pull explains a full disk, leaves no half file, and goes on when there is space', async t => {
      await using disk = new AsyncDisposableStack();
      const folder = at('small');
      const refusal = await mountSmall(folder, 4 * 1024 * 1024, disk);
      if (refusal !== undefined) return t.skip(refusal);
      for (const blocks of [0, 2, 8, 30]) {
        await fill(folder, blocks * BLOCK);
        const full = await pull('small/mirror');
        assert.equal(full.code, 7, `${blocks} blocks: ${full.stderr}`);
        assert.match(full.stderr, /^rr: The disk is full.*Free some space and run the command again\.$/m);
        assert.doesNotMatch(full.stderr, /\n {4}at /);
        await work.mirror.isWhole(join(folder, 'mirror'));
        await clear(folder);
      }
      await pulled('small/mirror');
      await work.mirror.isSame(join(folder, 'mirror'));
    });

    test('rr pull explains a file that is larger than the system allows', async () => {
      // The limit is two blocks of 512 bytes: the journal fits, but a clip does not.
      const full = await rr(['pull', work.projectId, 'limited'], { ...work.options, shell: 'ulimit -f 2' });
      assert.equal(full.code, 7, full.stderr);
      assert.match(full.stderr, /larger than the system allows/);
      await pulled('limited');
      await work.mirror.isSame(at('limited'));
    });

    test('a proxy that answers HTML at any step is explained, and none of its pages is kept', async () => {
      const page = (response: ServerResponse) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
      await mkdir(at('pages'), { recursive: true });
      await writeFile(join(at('pages'), 'people.csv'), 'name,reference\nAna,P-1\n');
      const { proxy, options, projectId } = work;
      const inPages = { ...options, cwd: at('pages') };
      const link = work.proxied(work.link);
      const steps: [RegExp, string[]][] = [
        [/^\/api\/projects\/[\w-]+$/, ['pull', projectId, 'mirror']],
        [/\/submissions\?/, ['pull', projectId, 'mirror']],
        [VIDEO, ['pull', projectId, 'mirror']],
        [/export\.csv/, ['pull', projectId, 'mirror']],
        [/\/links/, ['invite', projectId, 'people.csv']],
        [/\/links/, ['missing', projectId]],
        [/\/api\/events/, ['listen', '--until-idle', '--since', '1d', '--cursor-file', 'cursor']],
        [/\/responses$/, ['send', link, 'people.csv']],
        [/^\/api\/projects/, ['trigger', 'link.closed']],
      ];
      for (const [path, args] of steps) {
        proxy.intercept = (request, response) => path.test(request.url!) && Boolean(page(response));
        const { code, stderr, stdout } = await rr(args, inPages);
        assert.deepEqual([code, stdout], [6, ''], `rr ${args.join(' ')}, ${path}: ${stderr}`);
        assert.match(stderr, /answered 200 with text\/html/, args.join());
        const from = args[0] === 'send' ? 'LINK' : 'RR_BASE_URL or rr login';
        assert.ok(stderr.includes(`This is the address from ${from}.`), stderr);
        for (const [name] of await filesOf(at('pages')))
          assert.doesNotMatch(await readFile(join(at('pages'), name), 'utf8'), /<html>/, name);
        await assert.rejects(readFile(join(at('pages'), 'links.csv')), { code: 'ENOENT' });
      }
      proxy.intercept = () => false;
      const { code, stderr } = await rr(['pull', projectId, 'mirror'], inPages);
      assert.equal(code, 0, stderr);
      await work.mirror.isSame(join(at('pages'), 'mirror'));
    });

    test('rr invite, stopped by Ctrl-C while the links are made, writes them when it runs again', async () => {
      const { proxy, options, scratch, projectId } = work;
      await writeFile(join(scratch, 'guests.csv'), 'name,reference\nCem,P-3\nDoa,P-4\n');
      const args = ['invite', projectId, 'guests.csv', '--out', 'guest-links.csv'];
      const inviting = startRr(args, options);
      proxy.after(1, /\/links/, () => inviting.child.kill('SIGINT'));
      assert.equal((await inviting.done).code, 130);
      assert.deepEqual(
        (await readdir(scratch)).filter(name => name.startsWith('guest-links')),
        [],
      );
      const again = await rr([...args, '--json'], options);
      assert.equal(again.code, 0, again.stderr);
      assert.deepEqual(
        [JSON.parse(again.stdout).created, (await readFile(join(scratch, 'guest-links.csv'))).length > 100],
        [2, true],
      );
    });

    test('rr pull --watch follows new and erased clips', async () => {
      const watching = startRr(
        ['pull', work.projectId, 'mirror', '--watch', '--interval', '1', '--json'],
        work.options,
      );
      const has = async (id: string) => (await readdir(at('mirror'))).some(name => name.includes(id));
      const [landed] = await work.land(1);
      await until('the new clip', () => has(landed!), SYSTEM_WAIT);
      await work.erase(landed!);
      await until('the erasure', async () => !(await has(landed!)), SYSTEM_WAIT);
      watching.child.kill('SIGINT');
      assert.equal((await watching.done).code, 130);
    });

    test('rr listen forwards the same bytes as a webhook', async () => {
      const { client, projectId, options } = work;
      await using hook = await startReceiver();
      await using local = await startReceiver();
      await client.projects.update(projectId, { webhookUrl: hook.url, webhookSecret: SECRET });
      const args = ['listen', '--forward-to', local.url, '--types', 'submission.completed', '--project', projectId];
      const listening = startRr(args, options);
      await until('rr listens', () => /Listening/.test(listening.stderr()), SYSTEM_WAIT);
      await work.land(1);
      const [[sent], [forwarded]] = await Promise.all([hook.waitFor(1), local.waitFor(1)]);
      listening.child.kill('SIGINT');
      assert.equal((await listening.done).code, 130);
      assert.equal(forwarded!.body.toString(), sent!.body.toString());
      for (const name of ['service-event', 'service-event-id', 'service-signature', 'webhook-id', 'content-type'])
        assert.equal(forwarded!.headers[name], sent!.headers[name], name);
    });
  });
}
