import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { unwrap } from '@recording-request/client';
import { httpClient, ok } from '@recording-request/harness/http-client';
import { type ReceivedRequest, startReceiver } from '@recording-request/harness/webhook-receiver';
import { TOOLS } from '@recording-request/mcp/tools';
import type { TestClip } from '@recording-request/testing/clip';
import type { Owner, TestSystem } from '@recording-request/testing/test-system';
import { until } from '@recording-request/testing/wait';
import { runProgram, startProgram, startReceiverOf, writePrograms } from '../harness/docs-programs.ts';
import { submissionsOf } from '../harness/seed.ts';
import { openShell } from '../harness/shell.ts';

const RR = fileURLToPath(new URL('../../../clients/cli/src/main.ts', import.meta.url));
const COMMANDS = /^```sh\n([\s\S]*?)^```$/gm;
const RR_COMMANDS = /^```sh rr\n([\s\S]*?)^```$/gm;
const hashOf = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

/** Runs the programs and commands of the guides `start`, `people` and `webhooks`, and the configurations of `agents`. */
export function guides({ system, owner, mute }: { system: TestSystem; owner: Owner; mute: TestClip }): void {
  const ask = httpClient(system.baseUrl);
  const guide = async (name: string) => (await ask(`/api/docs/${name}.md`)).text();
  const blocksOf = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, lines]) => lines!);

  /** Returns the SHA-256 of the only clip of the newest project that has this name. */
  async function expectedHash(projectName: string): Promise<string> {
    const { projects } = ok(await owner.ask('/api/projects'));
    const { projectId } = projects.find((each: { projectName: string }) => each.projectName === projectName);
    const [clip, ...others] = await submissionsOf(owner, projectId);
    assert.deepEqual([others, clip!.sandbox], [[], true]);
    const { headers } = await owner.ask(clip!.videoUrl, { method: 'HEAD' });
    return headers.get('etag')!.replaceAll('"', '');
  }

  /** Makes a folder in which `rr` and `npx @recording-request/cli` are the command of this repository. */
  async function terminal(name: string) {
    const cwd = join(system.scratch, name);
    await mkdir(join(cwd, 'bin'), { recursive: true });
    const npx = join(cwd, 'bin', 'npx');
    await writeFile(
      npx,
      `#!/bin/sh\n[ "$1" = -y ] && shift\n[ "$1" = @recording-request/cli ] || exit 9\nshift\nexec ${process.execPath} ${RR} "$@"\n`,
    );
    await chmod(npx, 0o755);
    await writeFile(join(cwd, 'bin', 'rr'), `#!/bin/sh\nexec ${process.execPath} ${RR} "$@"\n`, { mode: 0o755 });
    const shell = openShell(cwd);
    await shell.paste(
      `export PATH=${cwd}/bin:$PATH XDG_CONFIG_HOME=${cwd}/config TOKEN=${owner.token} BASE=${system.baseUrl}`,
    );
    return { cwd, shell };
  }

  describe('the guides', () => {
    test('five minutes with curl end with the clip on the disk', async () => {
      const { cwd, shell } = await terminal('start-curl');
      try {
        await writeFile(join(cwd, 'clip.webm'), mute.bytes);
        const blocks = blocksOf(await guide('start'), COMMANDS);
        assert.equal(blocks.length, 3);
        let printed = '';
        for (const lines of blocks) printed = await shell.paste(lines);
        const expected = await expectedHash('My first project');
        assert.equal(await hashOf(join(cwd, 'my-clip.webm')), expected);
        assert.equal(printed.split(expected).length, 3, `the hash is not printed twice: ${printed}`);
        // The same commands, pasted again, create another clip and download it.
        await rm(join(cwd, 'my-clip.webm'));
        for (const lines of blocks) await shell.paste(lines);
        assert.equal(await hashOf(join(cwd, 'my-clip.webm')), await expectedHash('My first project'));
      } finally {
        await shell.close();
      }
    });

    test('five minutes with curl show the sentence of an error, end, and save nothing', async () => {
      const other = await system.newOwner('Mistakes');
      const blocks = blocksOf(await guide('start'), COMMANDS);
      for (const [name, token, bytes, sentence] of [
        ['token', 'api_wrong', mute.bytes, 'Send a valid API token'],
        ['clip', other.token, Buffer.alloc(50_000, 'no video at all '), 'This file is not a video'],
      ] as const) {
        const cwd = join(system.scratch, `start-curl-${name}`);
        await mkdir(cwd);
        await writeFile(join(cwd, 'clip.webm'), bytes);
        // At an empty variable, a script ends, but an interactive shell only skips the command.
        for (const flags of [[], ['-i']]) {
          const shell = spawn('bash', ['--norc', '--noprofile', ...flags], {
            ...{ cwd, stdio: ['pipe', 'pipe', 'pipe'], timeout: 60_000 },
            env: { ...process.env, TOKEN: token, PS1: '' },
          });
          shell.stdin.end(`${blocks.join('\n')}\nexit 3\n`);
          const [printed, , [, signal]] = await Promise.all([
            text(shell.stdout),
            text(shell.stderr),
            once(shell, 'close') as Promise<[number | null, string | null]>,
          ]);
          assert.equal(signal, null, `${name}: the commands hang: ${printed}`);
          assert.ok(printed.includes(sentence), `${name}: ${printed}`);
        }
        assert.deepEqual(await Array.fromAsync(glob(join(cwd, 'my-clip*'))), [], name);
      }
    });

    test('five minutes with TypeScript and Python end with the sentence of an error', async () => {
      const other = await system.newOwner('Errors');
      const folder = join(system.scratch, 'start-errors');
      await using proxy = await startHtml();
      const page = await guide('start');
      const programs = await writePrograms(page, folder);
      await writePrograms(page.replaceAll(system.baseUrl, proxy.url), join(folder, 'html'));
      await writeFile(join(folder, 'noise.webm'), Buffer.alloc(50_000, 'no video at all '));
      await writeFile(join(folder, 'empty.webm'), '');
      const before = ok(await other.ask('/api/projects')).projects.length;
      const fails = async (program: string, file: string, token: string, sentence: RegExp, at = folder) => {
        const { ended } = await startProgram(at, program, [file], { TOKEN: token });
        const { code, messages } = await ended;
        assert.equal(code, 1, `${program} ${file}: ${messages}`);
        assert.match(messages, sentence);
        assert.equal(messages.trim().split('\n').length, 1, `${program} ${file}: not one sentence: ${messages}`);
      };
      for (const program of programs) {
        await fails(program, 'none.webm', other.token, /There is no file none\.webm\./);
        await fails(program, 'noise.webm', '', /Set TOKEN/);
        await fails(program, 'noise.webm', 'api_wrong', /Send a valid API token/);
        await fails(program, '../noise.webm', other.token, /(?:API|JSON) does|which the API/, join(folder, 'html'));
        assert.equal(ok(await other.ask('/api/projects')).projects.length, before, 'an early error creates no project');
      }
      await Promise.all(
        programs.flatMap(program =>
          ['noise.webm', 'empty.webm'].map(file => fails(program, file, other.token, /This file is not a video/)),
        ),
      );
    });

    test('five minutes with TypeScript and Python end with the clip on the disk', async () => {
      const folder = join(system.scratch, 'start');
      const programs = await writePrograms(await guide('start'), folder);
      assert.deepEqual(programs, ['start.mts', 'start.py']);
      await writeFile(join(folder, 'clip.webm'), mute.bytes);
      for (const program of programs) {
        const printed = await runProgram(folder, program, ['clip.webm'], { TOKEN: owner.token });
        const [, hash, name] = /^([0-9a-f]{64}) {2}(.+)$/m.exec(printed) ?? [];
        const expected = await expectedHash('My first project');
        assert.deepEqual([hash, await hashOf(join(folder, name!))], [expected, expected], printed);
      }
    });

    test('five minutes with the command line end with the clip on the disk', async () => {
      const { cwd, shell } = await terminal('start-rr');
      try {
        for (const lines of blocksOf(await guide('start'), RR_COMMANDS)) await shell.paste(lines);
        const [saved, ...others] = await Array.fromAsync(glob(join(cwd, 'mirrored/**/*.{webm,mp4}')));
        assert.deepEqual([await hashOf(saved!), others], [await expectedHash('rr trigger'), []]);
      } finally {
        await shell.close();
      }
    });

    test('people are invited from a table with TypeScript and Python', async () => {
      const folder = join(system.scratch, 'invite');
      const programs = await writePrograms(await guide('people'), folder);
      assert.deepEqual(programs.splice(2), ['reminder-mail.mts']);
      assert.deepEqual(programs, ['invite.mts', 'invite.py']);
      await writeFile(join(folder, 'people.csv'), 'name,reference,email\nAna,A-1,ana@example.org\nBen,B-1,\n');
      await writeFile(join(folder, 'wrong.csv'), 'name,email\nAna,ana@example.org\nBen,nowhere\n');
      for (const program of programs) {
        const { projectId } = await owner.createProject({
          projectName: program,
          count: 1,
          recipients: [{ name: 'Cem' }],
        });
        const run = (file: string) => runProgram(folder, program, [projectId, file], { TOKEN: owner.token });
        const first = await run('people.csv');
        assert.match(first, /^2 invited, 0 had a link\.\nCem\t.*\nAna\tana@example\.org\thttp\S+\/r\/vr_\w+\nBen\t/);
        assert.match(await run('people.csv'), /^0 invited, 2 had a link\./);
        await assert.rejects(run('wrong.csv'), /wrong\.csv:3: email: /);
      }
    });

    test('a reminder becomes a mail with a button that stops the reminders', async () => {
      const folder = join(system.scratch, 'reminder');
      await writePrograms(await guide('people'), folder);
      await using receiver = await startReceiver();
      const { projectId, recipientUrls } = await owner.createProject({
        ...{ projectName: 'Reminded', count: 1, recipients: [{ name: 'Ana', email: 'ana@example.org' }] },
        ...{ webhookUrl: receiver.url, webhookSecret: 'a secret', webhookEvents: ['link.reminder_due'] },
      });
      const [{ tokenId, recipientUrl }] = recipientUrls as [(typeof recipientUrls)[number]];
      const link = `/api/projects/${projectId}/links/${tokenId}`;
      ok(await owner.ask(`${link}/remind`, { method: 'POST' }));
      const [{ body, headers }] = (await receiver.waitFor(1)) as [ReceivedRequest];
      const event = await unwrap(body, headers, 'a secret');
      const { mailOf } = await import(pathToFileURL(join(folder, 'reminder-mail.mts')).href);
      const mail = mailOf(event);
      assert.deepEqual([mail.to, mail.messageId], ['ana@example.org', `<${event.id}@bakery.example>`]);
      assert.ok(mail.text.includes(recipientUrl), mail.text);
      const [, stopUrl = ''] = /^<(.*)>$/.exec(mail.headers['List-Unsubscribe']) ?? [];
      const click = new URLSearchParams(mail.headers['List-Unsubscribe-Post']);
      assert.equal((await fetch(stopUrl, { method: 'POST', body: click })).status, 200);
      assert.equal((await owner.ask(`${link}/remind`, { method: 'POST' })).status, 422);
      assert.equal(mailOf({ ...event, type: 'webhook.test' }), undefined);
    });

    test('the events of a project arrive at a receiver on the laptop', async () => {
      const page = await guide('webhooks');
      const folder = join(system.scratch, 'laptop-programs');
      await writePrograms(page, folder);
      const { shell } = await terminal('laptop');
      try {
        const [lines, ...others] = blocksOf(page, RR_COMMANDS);
        assert.equal(others.length, 0);
        const [exports = '', printing = '', ...rest] = lines!.split('\n');
        const secret = (await shell.paste(`${exports}\n${printing} 2> /dev/null`)).trim();
        await using receiver = await startReceiverOf(folder, 'receive-with-client.mts', secret);
        await until('it listens', async () => {
          const answer = await fetch(receiver.url, { method: 'POST', body: '{}' }).catch(() => undefined);
          return answer?.status === 401;
        });
        await shell.paste(`export PORT=${receiver.port}\n${rest.join('\n')}`);
        assert.match(receiver.printed(), /^[0-9a-f-]{36}$/m);
      } finally {
        await shell.close();
      }
    });

    test('an agent finds the tools with each configuration of the guide', async () => {
      const configurations = blocksOf(await guide('agents'), /^```json\n([\s\S]*?)^```$/gm).map(text =>
        JSON.parse(text),
      );
      assert.equal(configurations.length, 3);
      const { cwd, shell } = await terminal('agent');
      await shell.paste(`printf %s "$TOKEN" | rr login "$BASE"`);
      await shell.close();
      for (const { mcpServers } of configurations) {
        const { command, args, url, headers, env: named } = mcpServers['recording-request'];
        // A server without its own variables has only the token that `rr login` stored.
        const own = named ? { ...named, RR_TOKEN: owner.token } : { XDG_CONFIG_HOME: `${cwd}/config` };
        const env = { PATH: `${cwd}/bin:${process.env.PATH}`, ...own };
        const transport = command
          ? new StdioClientTransport({ command, args, env, cwd })
          : new StreamableHTTPClientTransport(new URL(url), {
              requestInit: { headers: { Authorization: headers.Authorization.replace('api_...', owner.token) } },
            });
        const client = new Client({ name: 'test', version: '1' });
        await client.connect(transport as Transport);
        try {
          const { tools } = await client.listTools();
          assert.deepEqual(tools.map(({ name }) => name).sort(), TOOLS.map(({ name }) => name).sort());
        } finally {
          await client.close();
        }
      }
    });
  });
}

/** Starts a proxy that answers every request with a page. */
async function startHtml() {
  const server = createServer(
    (_, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>No</h1>'),
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
