import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { promisify } from 'node:util';
import { ConfigError, loadConfig } from '@recording-request/kit/config';
import { createLogger } from '@recording-request/kit/log';
import { internalVariables } from '@recording-request/kit/service-variables';
import { type Authority, makeAuthority } from '@recording-request/stack/authority';
import { type MachineCertificates, makeCertificates } from '@recording-request/stack/certificates';
import { until } from '@recording-request/testing/wait';
import { openCertificates } from '../src/internal/certificates.ts';
import { openCaller } from '../src/internal/internal.ts';
import { uriOf } from '../src/internal/names.ts';

const log = createLogger('test', 'silent');
let dir: string;
let ours: MachineCertificates;
let theirs: MachineCertificates;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kit-certificates-'));
  ours = await makeCertificates(join(dir, 'ours'));
  theirs = await makeCertificates(join(dir, 'theirs'));
});
after(() => rm(dir, { recursive: true, force: true }));

const at = (path: string) => join(dir, path);
const file = async (name: string, text: string) => {
  await writeFile(at(name), text);
  return at(name);
};

/** Returns the environment variables of the projects service. `authority` issues its certificate instead of `ours`. */
async function filesOf(authority: Authority, ca: string, usages?: string[]): Promise<Record<string, string>> {
  const { cert, key } = await authority.issue([uriOf('projects')], usages && { usages });
  const [TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE] = await Promise.all([
    file('own.pem', cert),
    file('own.key', key),
    file('own-ca.pem', ca),
  ]);
  return { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE };
}

test('an unusable certificate is refused at the start, with an error that names the fault', async () => {
  const good = ours.env('projects');
  const expired = await ours.issue('expired', ['projects'], { expired: true });
  const cut = (await readFile(good.TLS_CERT_FILE!, 'utf8')).replace(/\n.{20}/, '\nAAAA');
  const wrong: Array<[change: Record<string, string>, sentence: RegExp]> = [
    [{ TLS_CERT_FILE: at('nowhere') }, /TLS_CERT_FILE names .*nowhere, which cannot be read \(ENOENT\)/],
    [{ TLS_CA_FILE: dir }, /TLS_CA_FILE names .*, which cannot be read \(EISDIR\)/],
    [{ TLS_CERT_FILE: await file('empty', '') }, /TLS_CERT_FILE has no PEM certificate/],
    [{ TLS_CERT_FILE: await file('cut', cut) }, /TLS_CERT_FILE has a damaged certificate/],
    [{ TLS_KEY_FILE: good.TLS_CERT_FILE! }, /TLS_KEY_FILE is not a PEM key without a passphrase/],
    [{ TLS_KEY_FILE: ours.env('media').TLS_KEY_FILE! }, /TLS_KEY_FILE is not the key of the certificate/],
    [expired, /TLS_CERT_FILE has a certificate that expired on /],
    [
      ours.env('media'),
      /TLS_CERT_FILE is not the certificate of projects: it must name URI:spiffe:\/\/recording-request\/projects/,
    ],
    [
      { TLS_CA_FILE: theirs.env('projects').TLS_CA_FILE! },
      /TLS_CERT_FILE was not issued by an authority in TLS_CA_FILE/,
    ],
  ];
  for (const [change, sentence] of wrong)
    await assert.rejects(openCaller({ ...good, ...change }, 'projects'), (error: unknown) => {
      assert.ok(error instanceof ConfigError, `a fault of the configuration: ${error}`);
      assert.equal(error.faults.length, 1);
      assert.match(error.faults[0]!, sentence);
      return true;
    });
});

test('two authorities joined without a line break are read as two', async () => {
  const TLS_CA_FILE = await file('joined', ours.authority.cert.trimEnd() + theirs.authority.cert.trimEnd());
  using serving = await openCaller({ ...ours.env('projects'), TLS_CA_FILE }, 'projects');
  using calling = await openCaller({ ...theirs.env('media'), TLS_CA_FILE }, 'media');
  const server = createServer(
    { ...serving.certificates!.current, requestCert: true, rejectUnauthorized: true },
    socket => socket.end('hello'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, ...calling.tlsPeer('projects') });
  try {
    assert.equal(await text(socket), 'hello');
  } finally {
    server.close();
  }
});

test('two authorities of one name are refused if TLS would confuse them', async () => {
  const [first, second] = [
    await makeAuthority(undefined, { name: 'Us' }),
    await makeAuthority(undefined, { name: 'Us' }),
  ];
  await assert.rejects(openCaller(await filesOf(first, first.cert + second.cert), 'projects'), {
    faults: [
      'TLS_CA_FILE has two authorities named CN=Us without key identifiers, so that certificates of one would be refused: the new authority needs another name',
    ],
  });
  const again = await openCaller(await filesOf(first, first.cert + first.cert), 'projects');
  again[Symbol.dispose]();
});

test('a truncated file of authorities is refused, and a certificate must be for servers and for clients', async () => {
  const [first, second] = [await makeAuthority(), await makeAuthority()];
  const cut = first.cert + second.cert.slice(0, 200);
  await assert.rejects(openCaller(await filesOf(first, cut), 'projects'), {
    faults: ['TLS_CA_FILE has a certificate that is cut off'],
  });
  const [server, client] = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'];
  await assert.rejects(openCaller(await filesOf(first, first.cert, [client]), 'projects'), {
    faults: ['TLS_CERT_FILE is not for servers: its extended key usage must have both serverAuth and clientAuth'],
  });
  const both = await openCaller(await filesOf(first, first.cert, [server, client]), 'projects');
  both[Symbol.dispose]();
});

test('a certificate of an expired authority is refused at the start', async () => {
  const gone = await makeAuthority(undefined, { expired: true });
  await assert.rejects(openCaller(await filesOf(gone, gone.cert), 'projects'), (error: ConfigError) => {
    assert.match(error.faults.join(), /^TLS_CERT_FILE was issued by an authority that expired on /);
    return true;
  });
});

test('a service with an unusable certificate exits with code 78 and one sentence that names the file', async () => {
  const script = `
    import { loadConfig } from '@recording-request/kit/config';
    import { healthVariables, internalVariables, processVariables } from '@recording-request/kit/service-variables';
    import { openInternal } from '../src/internal/internal.ts';
    import { runService } from '../src/run-service.ts';
    const readConfig = env => loadConfig(env, { ...processVariables, ...healthVariables, ...internalVariables });
    await runService('projects', readConfig, (config, log) => openInternal(config, 'projects', log));
  `;
  const good = ours.env('projects');
  const bad: Array<[env: Record<string, string>, sentence: RegExp]> = [
    [
      await ours.issue('expired', ['projects'], { expired: true }),
      /TLS_CERT_FILE has a certificate that expired on .*/,
    ],
    [{ ...good, TLS_KEY_FILE: at('nowhere') }, /TLS_KEY_FILE names .*nowhere, which cannot be read \(ENOENT\)/],
    [
      { ...good, TLS_KEY_FILE: ours.env('media').TLS_KEY_FILE! },
      /TLS_KEY_FILE is not the key of the certificate in TLS_CERT_FILE/,
    ],
    [
      { ...good, TLS_CA_FILE: theirs.env('projects').TLS_CA_FILE! },
      /TLS_CERT_FILE was not issued by an authority in TLS_CA_FILE/,
    ],
  ];
  const run = promisify(execFile);
  const ends = bad.map(async ([env, sentence]) => {
    const options = {
      cwd: import.meta.dirname,
      env: { ...process.env, HEALTH_LISTEN: '127.0.0.1:0', ...env },
      timeout: 60_000,
    };
    const end = await run(process.execPath, ['--input-type=module', '--eval', script], options).catch(error => error);
    assert.deepEqual([end.code, end.stdout], [78, '']);
    assert.match(end.stderr, new RegExp(`^projects: The configuration is not usable: ${sentence.source}\\n$`));
  });
  await Promise.all(ends);
});

test('a service does not start without certificates, unless INTERNAL_PLAINTEXT=true', () => {
  const faults = ['TLS_CERT_FILE is not set', 'TLS_KEY_FILE is not set', 'TLS_CA_FILE is not set'];
  for (const mode of ['', 'false'])
    assert.throws(() => loadConfig({ INTERNAL_PLAINTEXT: mode }, internalVariables), { faults });
  assert.equal(loadConfig({ INTERNAL_PLAINTEXT: 'true' }, internalVariables).internalPlaintext, true);
  assert.throws(() => loadConfig({ INTERNAL_PLAINTEXT: 'send' }, internalVariables), /INTERNAL_PLAINTEXT must be/);
});

/** Replaces a file atomically, like a mounted secret. During a copy, a reader would find an empty file. */
async function replace(file: string, source: string): Promise<void> {
  await copyFile(source, `${file}.next`);
  await rename(`${file}.next`, file);
}

test('a replaced certificate is used; half of a replacement is not', async () => {
  const env = await ours.issue('moving', ['projects']);
  const files = { tlsCertFile: env.TLS_CERT_FILE!, tlsKeyFile: env.TLS_KEY_FILE!, tlsCaFile: env.TLS_CA_FILE! };
  const seen: string[] = [];
  const faults: string[] = [];
  const faultLog = Object.assign(Object.create(log), { error: (text: string) => void faults.push(text) });
  using certificates = await openCertificates(files, { name: 'projects', log: faultLog, lookMs: 10 });
  certificates.onChange(({ cert }) => void seen.push(cert.toString()));
  const before = certificates.current;
  const next = await ours.issue('next', ['projects']);
  await replace(files.tlsCertFile, next.TLS_CERT_FILE!);
  await until('the half replacement is logged', async () => faults.length > 0);
  assert.match(faults[0]!, /The certificate was not replaced: TLS_KEY_FILE is not the key of the certificate/);
  assert.equal(certificates.current, before);
  await replace(files.tlsKeyFile, next.TLS_KEY_FILE!);
  await until('the complete replacement is used', async () => seen.length > 0);
  assert.deepEqual(seen, [await readFile(next.TLS_CERT_FILE!, 'utf8')]);
  assert.equal(faults.length, 1, 'the same fault is logged once');
});
