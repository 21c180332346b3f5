import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from './config.ts';

const SECRET = 'a-secret-of-the-proxy-0123456789abcdef';
const OFFLOAD = { MEDIA_OFFLOAD: 'accel', MEDIA_OFFLOAD_SECRET: SECRET, TRUSTED_PROXIES: '1' };
const BASE = {
  PUBLIC_BASE_URL: 'https://rec.example',
  ...{ PROJECTS_GRPC: 'a:1', SUBMISSIONS_GRPC: 'a:1', WEBHOOKS_GRPC: 'a:1', SUBMISSIONS_HTTP: 'http://a:1' },
  INTERNAL_PLAINTEXT: 'true',
};

test('settings of MEDIA_OFFLOAD that cannot work are refused, and the error never has the secret', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-config-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'secret');
  await writeFile(file, `${SECRET}\n`);
  const good = [
    OFFLOAD,
    { ...OFFLOAD, MEDIA_OFFLOAD_SECRET: '', MEDIA_OFFLOAD_SECRET_FILE: file },
    { ...OFFLOAD, TRUSTED_PROXIES: '10.0.0.0/8' },
    { MEDIA_OFFLOAD: 'none' },
  ];
  for (const env of good) assert.ok(readConfig({ ...BASE, ...env }));
  const BAD: [env: Record<string, string>, sentence: RegExp][] = [
    [{ ...OFFLOAD, MEDIA_OFFLOAD: 'sendfile' }, /MEDIA_OFFLOAD must be none or accel/],
    [{ ...OFFLOAD, TRUSTED_PROXIES: '0' }, /MEDIA_OFFLOAD=accel needs TRUSTED_PROXIES:/],
    [{ ...OFFLOAD, MEDIA_OFFLOAD_SECRET: '' }, /MEDIA_OFFLOAD=accel needs MEDIA_OFFLOAD_SECRET/],
    [{ ...OFFLOAD, MEDIA_OFFLOAD_SECRET: SECRET.slice(0, 31) }, /32 to 256 letters/],
    [{ ...OFFLOAD, MEDIA_OFFLOAD_SECRET: `${SECRET}"; evil` }, /32 to 256 letters/],
    [{ ...OFFLOAD, MEDIA_OFFLOAD_SECRET_FILE: file }, /both set/],
    [{ ...OFFLOAD, MEDIA_OFFLOAD_SECRET: '', MEDIA_OFFLOAD_SECRET_FILE: join(dir, 'none') }, /cannot be read/],
  ];
  for (const [env, sentence] of BAD)
    assert.throws(
      () => readConfig({ ...BASE, ...env }),
      (error: Error) => {
        assert.match(error.message, sentence);
        assert.doesNotMatch(error.message, /a-secret-of/);
        return true;
      },
    );
});

test('TRUSTED_PROXIES is a number of proxies, or a list of addresses and ranges', () => {
  for (const text of ['0', '10', '10.0.7.1', '10.0.7.0/24, fd00::/8,192.0.2.1', '::1'])
    assert.ok(readConfig({ ...BASE, TRUSTED_PROXIES: text }).trustedProxies);
  for (const text of ['11', '-1', 'true', 'proxy', '10.0.7.0/33', '10.0.7', '10.0.7.1,', '0.0.0.0/0', '::/0', '1,2'])
    assert.throws(
      () => readConfig({ ...BASE, TRUSTED_PROXIES: text }),
      /TRUSTED_PROXIES must be a whole number from 0 to 10, or addresses and ranges/,
      text,
    );
});
