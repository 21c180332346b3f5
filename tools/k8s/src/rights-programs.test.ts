import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { tempDir } from '@recording-request/stack/testing/temp-dir';
import { parseAllDocuments } from 'yaml';
import { parse } from './manifests.ts';
import { OPERATORS, ROOT } from './repository.ts';
import { newMongoUsers, policyOf, STORE_USERS, TARGET_POLICY } from './rights.ts';

const runFile = promisify(execFile);
const LIMIT_MS = 30_000;

/**
 * Runs a file of deploy/rights with a program that records its arguments and answers like AWS. Returns the arguments of
 * each call.
 */
async function callsOf(script: string, program: string, args: string[], variables: Record<string, string>) {
  await using dir = await tempDir();
  const calls = join(dir.path, 'calls');
  // The separators of units and records, because an argument may have several lines.
  const stub = `#!/bin/sh
printf '%s\\037' "$@" >> '${calls}'
printf '\\036' >> '${calls}'
case $1 in sts) echo 111122223333 ;; eks) echo https://issuer.example.com/id/A ;; esac
`;
  await writeFile(join(dir.path, program), stub, { mode: 0o755 });
  const env = { ...process.env, ...variables, PATH: `${dir.path}:${process.env.PATH}` };
  await runFile(join(ROOT, 'deploy/rights', script), args, { env, timeout: LIMIT_MS });
  const records = (await readFile(calls, 'utf8')).split('\x1e').slice(0, -1);
  return records.map(record => record.split('\x1f').slice(0, -1));
}

const valuesOf = (args: string[], option: string): string[] => args.filter((_, at) => args[at - 1] === option);

type Rights = Record<string, Record<string, string[]>>;

/** Returns the operations that calls allow, by user and resource. */
function rightsIn(calls: Array<{ user: string; resource: string; operations: string[] }>): Rights {
  const rights: Rights = {};
  for (const { user, resource, operations } of calls) {
    const own = rights[user] ?? {};
    rights[user] = { ...own, [resource]: [...(own[resource] ?? []), ...operations].sort() };
  }
  return rights;
}

/** Returns the rights at Kafka in the operators' overlay; a migration also creates the topics here. */
async function wantedRights(prefix = ''): Promise<Rights> {
  const text = await readFile(join(OPERATORS, 'servers/users.yaml'), 'utf8');
  const users = parseAllDocuments(text).map(each => each.toJS());
  const calls = users.flatMap(({ metadata: { name: user }, spec }) =>
    spec.authorization.acls.map(
      ({
        resource: { type, name },
        operations,
      }: {
        resource: { type: string; name: string };
        operations: string[];
      }) => ({
        user,
        resource: `${type} ${prefix}${name}`,
        operations: [...operations, ...(user === 'migrate' ? ['Create', 'Alter'] : [])],
      }),
    ),
  );
  return rightsIn(calls);
}

test('kafka.sh allows each user exactly what the operators’ overlay allows', async () => {
  const args = ['kafka-acls.sh', '--bootstrap-server', 'kafka:9094'];
  const calls = await callsOf('kafka.sh', 'kafka-acls.sh', args, { KAFKA_TOPIC_PREFIX: 'clips.' });
  const given = calls.map(call => {
    assert.deepEqual(call.slice(0, 3), ['--bootstrap-server', 'kafka:9094', '--add']);
    const kind = call.includes('--topic') ? 'topic' : 'group';
    return {
      user: valuesOf(call, '--allow-principal')[0]!.replace(/^User:/, ''),
      resource: `${kind} ${valuesOf(call, `--${kind}`)[0]}`,
      operations: valuesOf(call, '--operation'),
    };
  });
  assert.deepEqual(rightsIn(given), await wantedRights('clips.'));
});

test('kafka.sh allows the same at Confluent Cloud', async () => {
  const wanted = await wantedRights();
  const accounts = Object.fromEntries(Object.keys(wanted).map(name => [name.toUpperCase(), `sa-${name}`]));
  const args = ['confluent', 'kafka', 'acl', 'create', '--cluster', 'lkc-1'];
  const calls = await callsOf('kafka.sh', 'confluent', args, accounts);
  const given = calls.map(call => {
    assert.deepEqual(call.slice(0, 6), [...args.slice(1), '--allow']);
    const kind = call.includes('--topic') ? 'topic' : 'consumer-group';
    return {
      user: valuesOf(call, '--service-account')[0]!.replace(/^sa-/, ''),
      resource: `${kind.replace('consumer-', '')} ${valuesOf(call, `--${kind}`)[0]}`,
      operations: valuesOf(call, '--operations')[0]!
        .split(',')
        .map(each => each.replaceAll(/(^|-)[a-z]/g, letter => letter.replace('-', '').toUpperCase())),
    };
  });
  assert.deepEqual(rightsIn(given), wanted);
});

test('kafka.sh lets KEDA read the lag of each group by which it scales, and nothing else', async () => {
  const keda = await Promise.all(
    ['keda/scaledobjects.yaml', 'streams/scaledobjects.yaml'].map(file =>
      readFile(join(ROOT, 'deploy/k8s/scaling', file), 'utf8'),
    ),
  );
  const triggers = keda
    .flatMap(text => parse(text))
    .flatMap(({ spec }) => spec.triggers)
    .filter(({ type }) => type === 'kafka')
    .map(({ metadata }) => metadata);
  const wanted = triggers.flatMap(({ topic, consumerGroup }) => [
    `topic clips.${topic}`,
    `group clips.${consumerGroup}`,
  ]);
  const variables = { KAFKA_TOPIC_PREFIX: 'clips.', KEDA: 'keda' };
  const calls = await callsOf('kafka.sh', 'kafka-acls.sh', ['kafka-acls.sh'], variables);
  const given = calls.filter(call => call.includes('User:keda'));
  assert.deepEqual(
    given
      .map(call =>
        call.includes('--topic') ? `topic ${valuesOf(call, '--topic')}` : `group ${valuesOf(call, '--group')}`,
      )
      .toSorted(),
    [...new Set(wanted)].toSorted(),
  );
  for (const call of given) assert.deepEqual(valuesOf(call, '--operation'), ['Describe']);
});

test('atlas.sh creates the users of mongodb.js, and lets only the given address connect', async () => {
  const users = await newMongoUsers('team_');
  const passwords = Object.fromEntries(users.map(({ user, pwd }) => [`${user.toUpperCase()}_PASSWORD`, pwd]));
  const variables = { ...passwords, CLUSTER: 'clips', ADDRESS: '203.0.113.7', MONGO_DATABASE_PREFIX: 'team_' };
  const [access, ...created] = await callsOf('atlas.sh', 'atlas', ['--projectId', 'p'], variables);
  assert.deepEqual(access, ['accessLists', 'create', '203.0.113.7', '--type', 'ipAddress', '--projectId', 'p']);
  assert.deepEqual(
    created,
    users.map(({ user, pwd, roles }) => [
      ...['dbusers', 'create', '--username', user, '--password', pwd],
      ...['--role', roles.map(({ role, db }) => `${role}@${db}`).join(), '--scope', 'clips', '--projectId', 'p'],
    ]),
  );
});

test('aws.sh gives each workload a role with its own rights, which only its service account may assume', async () => {
  const calls = await callsOf('aws.sh', 'aws', [], {
    ...{ CLUSTER: 'clips', BUCKET: 'our-clips', BACKUP_BUCKET: 'our-backup', NS: 'clips' },
  });
  const made = calls.slice(2, -1);
  const users = [...STORE_USERS, 'doctor'] as const;
  assert.equal(made.length, 2 * users.length);
  for (const [at, user] of users.entries()) {
    const [create, put] = [made[2 * at]!, made[2 * at + 1]!];
    for (const call of [create, put]) assert.deepEqual(valuesOf(call, '--role-name'), [`recording-request-${user}`]);
    const [trust] = JSON.parse(valuesOf(create, '--assume-role-policy-document')[0]!).Statement;
    assert.deepEqual(trust.Principal, {
      Federated: 'arn:aws:iam::111122223333:oidc-provider/issuer.example.com/id/A',
    });
    assert.deepEqual(trust.Condition.StringEquals, {
      'issuer.example.com/id/A:aud': 'sts.amazonaws.com',
      'issuer.example.com/id/A:sub': `system:serviceaccount:clips:${user}`,
    });
    const shipped = await readFile(policyOf(user === 'doctor' ? 'submissions' : user).file, 'utf8');
    const policy = JSON.parse(shipped.replaceAll(':::recording-request', ':::our-clips'));
    assert.deepEqual(JSON.parse(valuesOf(put, '--policy-document')[0]!), policy);
  }
  const last = calls.at(-1)!;
  assert.deepEqual(valuesOf(last, '--role-name'), ['recording-request-backup']);
  const target = (await readFile(TARGET_POLICY.file, 'utf8')).replaceAll(
    ':::recording-request-backup',
    ':::our-backup',
  );
  assert.deepEqual(JSON.parse(valuesOf(last, '--policy-document')[0]!), JSON.parse(target));
});
