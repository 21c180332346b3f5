import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, afterEach, before, test } from 'node:test';
import { loadConfig, StartError } from '@recording-request/kit/config';
import { isOutage } from '@recording-request/kit/outage';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { testEnvironment } from '@recording-request/testing/environment';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import { AssumeRoleProvider } from 'minio/dist/esm/AssumeRoleProvider.mjs';
import { createObjects } from '../src/objects.ts';
import { objectVariables } from '../src/variables.ts';

const ARN = 'arn:aws:iam::111122223333:role/recording-request-media';
const TOKEN = 'the-token-of-the-pod';
const text = { contentType: 'text/plain' };

const opened = new AsyncDisposableStack();
const { env } = testEnvironment();
const { S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey, ...others } = env;
const { path: dir } = opened.use(await tempDir());
const stores = opened.use(testStores({ env }));

/** The state of a token service in front of MinIO: the kind of its responses, and the access keys that it issued. */
const service = { status: 200, lifetimeMs: 3_600_000, isSilent: false, issued: [] as string[] };

before(async () => {
  await stores.objects().ensureBucket();
  await writeFile(join(dir, 'token'), TOKEN);
});
after(() => opened.disposeAsync());
afterEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  Object.assign(service, { status: 200, lifetimeMs: 3_600_000, isSilent: false, issued: [] });
});

/** Returns temporary credentials from MinIO. The response states the lifetime in `service`. */
async function issue() {
  const provider = new AssumeRoleProvider({
    ...{ stsEndpoint: env.S3_ENDPOINT!, accessKey: accessKey!, secretKey: secretKey! },
    region: env.S3_REGION!,
  });
  const credentials = await provider.getCredentials();
  service.issued.push(credentials.getAccessKey());
  return {
    AccessKeyId: credentials.getAccessKey(),
    SecretAccessKey: credentials.getSecretKey(),
    SessionToken: credentials.getSessionToken(),
    Expiration: new Date(Date.now() + service.lifetimeMs).toISOString(),
  };
}

/** Answers like AWS's token service, and like the agent of EKS Pod Identity at the path /agent. */
async function answer(request: IncomingMessage): Promise<string> {
  const isAgent = request.url === '/agent';
  const body = String(await buffer(request));
  if (isAgent) assert.equal(request.headers.authorization, TOKEN);
  else
    assert.deepEqual(
      ['Action', 'RoleArn', 'WebIdentityToken'].map(name => new URLSearchParams(body).get(name)),
      ['AssumeRoleWithWebIdentity', ARN, TOKEN],
    );
  if (service.status !== 200)
    return isAgent
      ? '{"Code":"AccessDenied"}'
      : '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>Not authorized</Message></Error></ErrorResponse>';
  const { SessionToken, ...issued } = await issue();
  if (isAgent) return JSON.stringify({ ...issued, Token: SessionToken });
  const fields = Object.entries({ ...issued, SessionToken }).map(([name, value]) => `<${name}>${value}</${name}>`);
  return `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>${fields.join('')}</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
}

const server = createServer(async (request, response) => {
  if (service.isSilent) return;
  const content = await answer(request).catch(String);
  response.writeHead(service.status, { 'content-type': 'text/xml' }).end(content);
});
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
opened.defer(() => {
  server.closeAllConnections();
  server.close();
});
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const BY_TOKEN = { AWS_ENDPOINT_URL_STS: url, AWS_ROLE_ARN: ARN, AWS_WEB_IDENTITY_TOKEN_FILE: join(dir, 'token') };
const BY_AGENT = {
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/agent`,
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(dir, 'token'),
};

/** Opens the bucket with the role that these variables name. */
function byRole(variables: Record<string, string>) {
  Object.assign(process.env, variables);
  return createObjects(loadConfig({ ...others, ...variables, S3_CREDENTIALS: 'role' }, objectVariables));
}

for (const [way, variables] of Object.entries({ 'a web identity token': BY_TOKEN, 'the agent of a pod': BY_AGENT }))
  test(`with the role of ${way}, every operation works with temporary credentials`, async () => {
    const objects = byRole(variables);
    await objects.requireBucket();
    await objects.put('role/small', Buffer.from('bytes'), text);
    assert.equal(String(await buffer(await objects.get('role/small'))), 'bytes');
    const large = Buffer.alloc(17 * 1024 * 1024, 'x');
    await objects.put('role/large', Readable.from([large], { objectMode: false }), { ...text, size: large.length });
    assert.equal((await objects.stat('role/large'))?.size, large.length);
    const address = await objects.presignGet('role/small', 60);
    assert.match(address, /X-Amz-Security-Token=/);
    assert.equal(await (await fetch(address)).text(), 'bytes');
    assert.deepEqual((await Array.fromAsync(objects.list('role/'))).map(({ key }) => key).sort(), [
      'role/large',
      'role/small',
    ]);
    await objects.remove(['role/small']);
    assert.equal((await objects.purge('role/')).objects, 1);
    assert.equal(service.issued.length, 1, 'all requests share the credentials');
  });

test('credentials that expire are renewed before a request uses them', async () => {
  service.lifetimeMs = 0;
  const objects = byRole(BY_TOKEN);
  const keyInUse = async () => {
    const { searchParams } = new URL(await objects.presignGet('role/any', 60));
    return searchParams.get('X-Amz-Credential')!.split('/')[0];
  };
  const first = await keyInUse();
  service.lifetimeMs = 3_600_000;
  await until('the address has other credentials', async () => (await keyInUse()) !== first);
  assert.deepEqual(service.issued, [first, await keyInUse()]);
  await objects.put('role/renewed', Buffer.from('bytes'), text);
});

test('a refused role, a missing token and a missing role are faults that an operator must fix', async () => {
  service.status = 403;
  const cases: Array<[Record<string, string>, RegExp]> = [
    [BY_TOKEN, /^The token service refuses the role in AWS_ROLE_ARN \(.*AccessDenied.*\): its trust policy/],
    [{ ...BY_TOKEN, AWS_WEB_IDENTITY_TOKEN_FILE: join(dir, 'none') }, /^AWS_WEB_IDENTITY_TOKEN_FILE names .*ENOENT/],
    [BY_AGENT, /^The agent at AWS_CONTAINER_CREDENTIALS_FULL_URI has no role for this pod \(.*403/],
    [{ AWS_EC2_METADATA_SERVICE_ENDPOINT: url }, /^S3_CREDENTIALS is role, but neither AWS_ROLE_ARN with/],
  ];
  for (const [variables, sentence] of cases) {
    await assert.rejects(byRole(variables).requireBucket(), (error: Error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, sentence);
      assert.ok(!error.message.includes(TOKEN));
      return true;
    });
    for (const name of Object.keys(variables)) delete process.env[name];
  }
});

test('a token service that does not answer is an outage, within the limit of one request', async () => {
  service.isSilent = true;
  await assert.rejects(byRole(BY_TOKEN).put('role/any', Buffer.from('bytes'), text), isOutage);
});
