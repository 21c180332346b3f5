import assert from 'node:assert/strict';
import { lstat, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startFakeService } from './fake-service.ts';
import { rr } from './rr.ts';

test('login replaces the token in the target of a symbolic link', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'recording-request-login-'));
  await using service = await startFakeService();
  try {
    const [target, config] = [join(scratch, 'kept'), join(scratch, 'recording-request')];
    await writeFile(target, '{"token":"api_old"}', { mode: 0o600 });
    await symlink(target, config);
    const { code, stderr } = await rr(service.url, ['login', service.url], scratch, 'api_new\n');
    assert.equal(code, 0, stderr);
    assert.ok((await lstat(config)).isSymbolicLink());
    assert.deepEqual(JSON.parse(await readFile(target, 'utf8')), { token: 'api_new', baseUrl: service.url });
    assert.equal((await lstat(target)).mode & 0o777, 0o600);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});
