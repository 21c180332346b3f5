import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@recording-request/kit/errors';
import type { EraseCommand } from './command.ts';
import type { EraseServices } from './erase.ts';
import { NotDone, runErase } from './run-erase.ts';

/** Returns services that return results for a submission, and records the calls in order. */
function answering() {
  const asked: string[] = [];
  const services = {
    submissions: {
      async eraseSubmission({ dryRun }: { dryRun: boolean }) {
        asked.push(`submissions${dryRun ? ' dry' : ''}`);
        return { projectId: 'P', erased: { submissions: 1 }, recordsEndAt: new Date(0) };
      },
    },
    webhooks: {
      async eraseSubmissionDeliveries({ projectId, dryRun }: { projectId: string; dryRun: boolean }) {
        asked.push(`webhooks of ${projectId}${dryRun ? ' dry' : ''}`);
        return { erased: { payloads: 2, undelivered: 0 } };
      },
    },
  };
  return { asked, services: services as unknown as EraseServices };
}

const command = (options: Partial<EraseCommand> = {}): EraseCommand => ({
  name: 'erase submission',
  id: 'S',
  yes: false,
  dryRun: false,
  ...options,
});
const DRY = ['submissions dry', 'webhooks of P dry'];
const DONE = ['submissions dry', 'webhooks of P', 'submissions'];

test('erases nothing without a typed yes or --yes', async () => {
  for (const [answer, expected] of [
    ['erase', [...DRY, ...DONE]],
    ['yes', DRY],
    ['', DRY],
  ] as const) {
    const { asked, services } = answering();
    const shown: string[] = [];
    const terminal = { ask: async () => answer, show: (line: string) => void shown.push(line) };
    await runErase(services, command(), terminal).catch(error => assert.ok(error instanceof NotDone));
    assert.deepEqual(asked, expected, `after "${answer}"`);
    assert.match(shown.join('\n'), /1 submission\n.*2 payloads/);
  }
  const { asked, services } = answering();
  const nobody = { ask: undefined, show: () => {} };
  await assert.rejects(runErase(services, command(), nobody), /Nothing was erased: add --yes/);
  await runErase(services, command({ dryRun: true }), nobody);
  assert.deepEqual(asked, [...DRY, ...DRY]);
  const { lines } = await runErase(services, command({ yes: true }), nobody);
  assert.deepEqual(asked.slice(4), DONE);
  assert.match(lines.join('\n'), /^submission S is erased\n/);
});

test('reports the data that was removed before a failure', async () => {
  const { services } = answering();
  const [fine, late] = [services.submissions.eraseSubmission, new DomainError('unavailable', 'Try again.')];
  const failing = (request: { submissionId: string; dryRun: boolean }) =>
    request.dryRun ? fine(request) : Promise.reject(late);
  const broken = { ...services, submissions: { ...services.submissions, eraseSubmission: failing } };
  const shown: string[] = [];
  const terminal = { ask: undefined, show: (line: string) => void shown.push(line) };
  await assert.rejects(runErase(broken, command({ yes: true }), terminal), late);
  assert.match(shown.join('\n'), /^submission S: this is erased, the rest is not\n.*2 payloads$/);
});

/** Returns services in which only `kind` has data, for any id. */
function having(kind: 'submission' | 'link' | 'project' | 'user' | undefined) {
  const answer = <T>(mine: typeof kind, value: T) => {
    if (mine !== kind) throw new DomainError('not_found', `There is no such ${mine}.`);
    return value;
  };
  const recordsEndAt = new Date('2030-01-08T06:00:00Z');
  const gone = { tokensRevoked: 0, projectIds: [], done: true, erasedBeforeAt: new Date(0) };
  const services = {
    projects: {
      eraseUser: async () => answer('user', gone),
      eraseProject: async () => answer('project', {}),
      findLink: async () => answer('link', {}),
    },
    submissions: {
      eraseSubmission: async () => answer('submission', {}),
      eraseProjectSubmissions: async () => ({ erased: {}, done: true, recordsEndAt }),
    },
    webhooks: { eraseOwnerEvents: async () => ({ events: 0 }) },
  };
  return services as unknown as EraseServices;
}
const ID = '0199c0de-0000-7000-8000-000000000001';
const NOBODY = { ask: undefined, show: () => {} };

test('names an id of another kind, and its kind', async () => {
  const cases: [Parameters<typeof having>[0], string, RegExp][] = [
    ['project', ID, new RegExp(`^There is no submission ${ID}: it is the id of a project \\("erase project ${ID}"\\)`)],
    ['user', ID, /it is the id of a user/],
    ['link', ID, new RegExp(`it is the id of a link \\("erase link ${ID}"\\)`)],
    [undefined, ID, new RegExp(`^There is no submission ${ID}; .*30 days`)],
    [undefined, 'video.webm', /^There is no submission "video.webm": an id is a UUID/],
  ];
  for (const [kind, id, words] of cases) {
    await assert.rejects(
      runErase(having(kind), command({ id, yes: true }), NOBODY),
      error => error instanceof NotDone && words.test(error.message),
      `${kind} ${id}`,
    );
  }
});

test('erases a link step by step until it is done, after the events about it and its clips', async () => {
  const asked: string[] = [];
  const ask = <T>(text: string, value: T) => {
    asked.push(text);
    return value;
  };
  let calls = 0;
  const services = {
    projects: { findLink: async () => ask('find', { ownerId: 'O', projectId: 'P' }) },
    webhooks: {
      eraseLinkDeliveries: async ({ linkId }: { linkId: string }) => ask(`link ${linkId}`, { erased: { payloads: 1 } }),
      eraseSubmissionDeliveries: async ({ submissionId }: { submissionId: string }) =>
        ask(`clip ${submissionId}`, { erased: { payloads: 2, events: 3 } }),
    },
    submissions: {
      async eraseLink({ dryRun, ...link }: { dryRun: boolean }) {
        assert.deepEqual(link, { ownerId: 'O', projectId: 'P', linkId: 'L' });
        const counts = { erased: { submissions: 1 }, erasedOfProject: { links: 1 - calls }, recordsEndAt: new Date(0) };
        if (dryRun) return ask('dry', { ...counts, submissionIds: ['S', 'T'], done: true });
        return ask('erase', { ...counts, submissionIds: ['S', 'T'], done: ++calls === 2 });
      },
    },
  } as unknown as EraseServices;
  const { lines } = await runErase(services, command({ name: 'erase link', id: 'L', yes: true }), NOBODY);
  assert.deepEqual(asked, ['find', 'dry', 'link L', 'clip S', 'clip T', 'erase', 'erase']);
  assert.match(lines.join('\n'), /^link L is erased\n.*1 link\n.*2 submissions\n.*5 payloads\n.*6 events\n/);
});

test('a second erasure of a user also reports when Kafka’s records expire', async () => {
  const { lines } = await runErase(having('user'), command({ name: 'erase user', id: ID, yes: true }), NOBODY);
  assert.match(lines.join('\n'), /nothing is left\n +Kafka +.*the last by 2030-01-08T06:00:00.000Z$/);
});
