import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openCaller } from '@recording-request/kit-rpc/internal/internal';
import { OPERATOR, SERVICES } from '@recording-request/proto/callers';
import { makeDeployedCertificates, WrongStep } from './make-certificates.ts';
import { tempDir } from './testing/temp-dir.ts';

test('gives each service a usable certificate, again from the same authority the second time', async () => {
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

test('replaces the authority in three steps, each compatible with the step before', async () => {
  await using dir = await tempDir();
  const file = (...names: string[]) => join(dir.path, ...names);
  const read = (name: string) => readFile(file('media', name), 'utf8');
  const authorities = async () => (await read('ca.crt')).match(/BEGIN/g)?.length;
  await assert.rejects(makeDeployedCertificates(dir.path, 'add-authority'), WrongStep);
  await makeDeployedCertificates(dir.path);
  await assert.rejects(makeDeployedCertificates(dir.path, 'drop-authority'), WrongStep);
  const first = { certificate: await read('tls.crt'), authority: await read('ca.crt') };

  await makeDeployedCertificates(dir.path, 'add-authority');
  assert.equal(await read('tls.crt'), first.certificate);
  assert.equal(await authorities(), 2);
  await assert.rejects(
    makeDeployedCertificates(dir.path, 'drop-authority'),
    WrongStep,
    'the next authority issued nothing',
  );
  // An operator who is not sure may repeat a step. The repetition must change nothing.
  const both = await read('ca.crt');
  await makeDeployedCertificates(dir.path, 'add-authority');
  assert.equal(await read('ca.crt'), both);

  await makeDeployedCertificates(dir.path);
  assert.deepEqual([await read('ca.crt'), (await read('tls.crt')) === first.certificate], [both, false]);
  const second = await read('tls.crt');

  await makeDeployedCertificates(dir.path, 'drop-authority');
  assert.equal(await read('tls.crt'), second);
  assert.equal(`${first.authority}${await read('ca.crt')}`, both);
  const [TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE] = ['tls.crt', 'tls.key', 'ca.crt'].map(each => file('media', each));
  using internal = await openCaller({ TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE }, 'media');
  assert.equal(internal.certificates?.current.cert.toString(), second);
});
