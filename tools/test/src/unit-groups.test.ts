import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './repository.ts';
import { groupUnitTests } from './unit-groups.ts';

const TOGETHER = ['tools/test/src/affected.test.ts', 'tools/test/src/test-files.test.ts'];
const WITH_SERVERS = 'services/submissions/test/upload.test.ts';
const WITH_TIMERS = 'packages/kit-kafka/src/group.test.ts';

test('unit tests share a process, except those that change it; tests with servers have their own', async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'unit-groups-'));
  const [one, two] = TOGETHER as [string, string];
  const programs = await groupUnitTests([one, WITH_SERVERS, WITH_TIMERS, two], dir.path);
  const group = join(dir.path, 'unit-tests-1.mjs');
  assert.deepEqual(programs, [join(ROOT, WITH_SERVERS), join(ROOT, WITH_TIMERS), group]);
  const { code, stdout } = await runs(group);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^# pass [2-9]$/m, 'the tests of both files have run');
});

test('a file that fails to load is reported by name, and the others of its group run', async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'unit-groups-'));
  const broken = join(dir.path, 'broken.test.ts');
  await writeFile(broken, "import './nowhere.ts';\n");
  const [group] = await groupUnitTests([broken, TOGETHER[0]!], dir.path);
  const { code, stdout } = await runs(group!);
  assert.equal(code, 1);
  assert.match(stdout, /^not ok \d+ - \S*broken\.test\.ts$/m);
  assert.match(stdout, /^# pass [1-9]$/m);
});

function runs(program: string): Promise<{ code: number; stdout: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = { env, timeout: 60_000 };
  return new Promise(resolve =>
    execFile(process.execPath, ['--test-reporter=tap', program], options, (error, stdout) =>
      resolve({ code: error ? Number(error.code) : 0, stdout }),
    ),
  );
}
