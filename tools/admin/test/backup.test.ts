import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupCases } from './backup-cases.ts';

backupCases('a backup in a folder', async ({ stack }) => {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-backup-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  return dir;
});
