import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openCaller } from '@recording-request/kit/internal/internal';
import { OPERATOR, SERVICES } from '@recording-request/proto/callers';
import { makeDeployedCertificates } from './make-certificates.ts';
import { tempDir } from './testing/temp-dir.ts';

test('each gets a certificate that it can start with, a second time by the same authority', async () => {
  await using dir = await tempDir();
  const file = (...names: string[]) => join(dir.path, ...names);
  await makeDeployedCertificates(dir.path);
  const first = await readFile(file('media', 'tls.crt'), 'utf8');
  const authority = await readFile(file('authority', 'ca.crt'), 'utf8');
  await makeDeployedCertificates(dir.path);
  assert.notEqual(await readFile(file('media', 'tls.crt'), 'utf8'), first);
  for (const name of [...SERVICES, OPERATOR]) {
    const [TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE] = ['tls.crt', 'tls.key', 'ca.crt'].map(each => file(name, each));
    using internal = await openCaller({ TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE }, name);
    assert.equal(internal.certificates?.current.ca.toString(), authority);
    assert.equal((await stat(TLS_KEY_FILE!)).mode & 0o777, 0o600);
  }
});
