import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { OPERATORS, ROOT } from './repository.ts';
import { MONGO_USERS, newMongoUsers, policyOf, STORE_USERS, TARGET_POLICY } from './rights.ts';

interface OperatorsUser {
  name: string;
  roles: { name: string; db: string }[];
}

test('gives users of MongoDB the same rights as the operators’ overlay does', async () => {
  const text = await readFile(join(OPERATORS, 'servers/mongo.yaml'), 'utf8');
  const [mongo] = parseAllDocuments(text).map(each => each.toJS());
  const there = (mongo.spec.users as OperatorsUser[]).map(({ name: user, roles }) => ({
    user,
    roles: roles.map(({ name: role, db }) => ({ role, db })),
  }));
  const users = await newMongoUsers();
  assert.deepEqual(
    users.map(({ user, roles }) => ({ user, roles })),
    there,
  );
  assert.deepEqual(
    users.map(({ user }) => user),
    [...MONGO_USERS],
  );
});

test('grants rights on the databases with the prefix, if there is one', async () => {
  const [projects] = await newMongoUsers('team_a_');
  assert.deepEqual(projects!.roles, [{ role: 'readWrite', db: 'team_a_projects' }]);
});

test('lets only submissions delete a clip; media and transcription delete only the probe, others nothing', async () => {
  const files = globSync('deploy/rights/s3/*.json', { cwd: ROOT }).map(file => basename(file, '.json'));
  assert.deepEqual(files.sort(), [...STORE_USERS, 'backup-target'].sort());
  for (const user of STORE_USERS) {
    const { Statement } = JSON.parse(await readFile(policyOf(user).file, 'utf8'));
    const deleting = Statement.filter(({ Action }: { Action: string[] }) => /Delete|\*/.test(Action.join()));
    const where = deleting.flatMap(({ Resource }: { Resource: string[] }) => Resource);
    const may = { submissions: ['*'], media: ['checksum-probe'], transcription: ['checksum-probe'] };
    const wanted = (may as Record<string, string[]>)[user] ?? [];
    assert.deepEqual(
      where,
      wanted.map(key => `arn:aws:s3:::recording-request/${key}`),
      user,
    );
  }
  const target = JSON.parse(await readFile(TARGET_POLICY.file, 'utf8')).Statement as { Resource: string[] }[];
  for (const { Resource } of target)
    for (const resource of Resource) assert.match(resource, /^arn:aws:s3:::recording-request-backup(\/|$)/);
});
