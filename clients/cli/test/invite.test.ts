import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROJECT_ID, startFakeService } from './fake-service.ts';
import { rr } from './rr.ts';

test('an invitation that adds nobody keeps the table of an earlier one', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'recording-request-invite-'));
  await using service = await startFakeService();
  service.intercept = (request, response) => {
    if (request.method !== 'POST') return false;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"created":0,"skipped":[{"line":2}],"links":[]}');
    return true;
  };
  try {
    await writeFile(join(scratch, 'people.csv'), 'name\nCem\n');
    await writeFile(join(scratch, 'links.csv'), 'earlier');
    const words = ['invite', PROJECT_ID, 'people.csv', '--force', '--skip-duplicates'];
    const { code, stdout, stderr } = await rr(service.url, words, scratch);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'Made no link and wrote no file. Left out 1 who have a link already.\n');
    assert.equal(await readFile(join(scratch, 'links.csv'), 'utf8'), 'earlier');
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});
