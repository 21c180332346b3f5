import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../src/commands.ts';
import { PROJECT_ID, startFakeService } from './fake-service.ts';
import { startRr } from './rr.ts';

test('Ctrl-C ends every command that waits for the service with 130, and leaves no lock and no half file', async () => {
  await using service = await startFakeService();
  const scratch = await mkdtemp(join(tmpdir(), 'recording-request-stop-'));
  try {
    await writeFile(join(scratch, 'people.csv'), 'name\nAna\n');
    const waiting: [args: string[], input?: string][] = [
      [['login', service.url], 'api_x\n'],
      [['whoami']],
      [['projects', 'create', 'P']],
      [['projects', 'list']],
      [['projects', 'show', PROJECT_ID]],
      [['projects', 'update', PROJECT_ID, '--set', 'successMessage=Thanks']],
      [['projects', 'close', PROJECT_ID]],
      [['projects', 'erase', PROJECT_ID, '--yes']],
      [['invite', PROJECT_ID, 'people.csv']],
      [['missing', PROJECT_ID]],
      [['pull', PROJECT_ID, 'mirror']],
      [['listen', '--cursor-file', 'cursor']],
      [['trigger', 'link.closed']],
      [['send', `${service.url}/r/vr_x`, 'people.csv']],
      [['mcp']],
    ];
    const tried = waiting.map(([args]) => args.slice(0, args[0] === 'projects' ? 2 : 1).join(' '));
    const others = COMMANDS.map(({ name }) => name).filter(name => !tried.includes(name));
    assert.deepEqual(others, ['completion'], 'commands without a try');
    for (const [args, input] of waiting) {
      const asked = Promise.withResolvers<void>();
      service.intercept = () => {
        asked.resolve();
        // The service never answers.
        return true;
      };
      const running = startRr(service.url, args, scratch, input);
      await Promise.race([asked.promise, running.done]);
      running.child.kill('SIGINT');
      const { code, stdout, stderr } = await running.done;
      assert.deepEqual([code, stdout], [130, ''], `rr ${args.join(' ')}: ${stderr}`);
      const files = await readdir(scratch, { recursive: true });
      const left = files.filter(name => /(^|[./])lock$|\.tmp$|\.part$|^links/.test(name));
      assert.deepEqual(left, [], `rr ${args.join(' ')}`);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});
