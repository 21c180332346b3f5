import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Link, LinkStatus, LinkType, type Project } from '@recording-request/proto/projects/v1/projects';
import {
  MediaStatus,
  type Submission as SubmissionMessage,
  TranscriptStatus,
} from '@recording-request/proto/submissions/v1/submissions';
import { Check } from 'typebox/schema';
import {
  presentCreatedLink,
  presentCreatedSharedLink,
  presentCreationHead,
  presentCreationTail,
  presentLinks,
  presentOwnLink,
  presentOwnProject,
  presentOwnSharedLink,
  presentProjectDetail,
  presentProjectSummary,
  presentSharedLink,
  presentSubmission,
  presentUser,
  summaryOf,
  transcriptStatusOf,
} from '../present.ts';
import { pick, SETTING_DEFAULTS, SETTING_NAMES } from '../project-settings.ts';
import { CurrentUser } from '../resources/account.ts';
import { RESOURCES } from '../resources/all.ts';
import { RecipientLink, SharedRecipientLink } from '../resources/link.ts';
import { ProjectCreated, ProjectDetail, ProjectLinks, ProjectStats, ProjectSummary } from '../resources/project.ts';
import { Submission } from '../resources/submission.ts';

const BASE = 'https://rec.example';
const id = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const at = new Date('2026-01-02T03:04:05.006Z');

type Named = { $id: string; properties: object };
const context = Object.fromEntries((RESOURCES as unknown as Named[]).map(schema => [`${schema.$id}#`, schema]));

const isValid = (schema: object, value: object): boolean => Check(context as never, schema as never, value);

/** Fails unless the value has every field of its schema, in order, with the right type. */
function assertIs(schema: (typeof RESOURCES)[number], value: object): void {
  assert.deepEqual(Object.keys(value), Object.keys(schema.properties));
  assert.ok(isValid(schema, value), `${(schema as unknown as Named).$id}: ${JSON.stringify(value)}`);
}

const submission = (more: Partial<SubmissionMessage> = {}): SubmissionMessage => ({
  submissionId: id(1),
  videoId: id(2),
  linkId: id(3),
  responseId: id(6),
  projectId: id(4),
  ownerId: id(5),
  createdAt: at,
  selected: false,
  transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_PENDING,
  hasThumbnails: false,
  hasAudio: false,
  mediaStatus: MediaStatus.MEDIA_STATUS_PROCESSING,
  incomplete: false,
  sha256: 'ab',
  ...more,
});
const shown = (more: Partial<SubmissionMessage> = {}) =>
  presentSubmission(submission(more), { baseUrl: BASE, projectName: 'P' });

const link = (more: Partial<Link> = {}): Link => ({
  linkId: id(6),
  token: 'vr_x',
  linkType: LinkType.LINK_TYPE_UNIQUE,
  status: LinkStatus.LINK_STATUS_ACTIVE,
  maxUses: 1,
  submissionCount: 0,
  remainingUses: 1,
  createdAt: at,
  ...more,
});

const project: Project = {
  projectId: id(4),
  ownerId: id(5),
  createdAt: at,
  webhookSigned: false,
  settings: {
    ...pick(SETTING_DEFAULTS, SETTING_NAMES),
    projectName: 'P',
    maxDurationSec: 60,
    transcriptionEnabled: true,
    noteEnabled: true,
    webhookUrl: 'https://h.example/',
    interviewQuestions: ['a', 'b'],
    sharedLinkEnabled: true,
    sharedLinkMaxUses: 5,
    webhookEvents: ['response.completed', 'of.a.later.version'],
  },
  linkStats: {
    uniqueLinksTotal: 2,
    uniqueLinksRemaining: 2,
    sharedLinksTotal: 1,
    sharedUsesRemaining: 5,
    totalResponseCapacity: 7,
    responseSlotsUsed: 0,
    responseSlotsRemaining: 7,
  },
};

test('a new submission has every field', () => {
  const value = shown();
  assertIs(Submission, value);
  assert.equal(value.createdAt, '2026-01-02T03:04:05.006Z');
  assert.equal(value.responseSessionId, null);
  assert.equal(value.durationSec, null);
  assert.equal(value.thumbnailStartUrl, null);
  assert.equal(value.audioUrl, null);
  assert.equal(value.termsAccepted, false);
  assert.equal(value.language, null);
  assert.equal(value.videoUrl, `${BASE}/api/projects/${id(4)}/submissions/${id(1)}/video`);
  assert.equal(value.transcriptTextUrl, `${BASE}/api/projects/${id(4)}/submissions/${id(1)}/transcript.txt`);
});

test('a submission shows its person, and is late after the deadline of its link', () => {
  const person = { name: 'A guest', reference: 'P-17', email: '', locale: '', verified: false };
  const invited = (dueAt?: Date) =>
    presentSubmission(submission({ changedAt: new Date(at.getTime() + 1) }), {
      ...{ baseUrl: BASE, projectName: 'P' },
      invitation: { person, metadata: { city: 'Oslo' }, dueAt },
    });
  const value = invited(at);
  assertIs(Submission, value);
  assert.deepEqual(value.recipient, { ...person, email: null, locale: null });
  assert.deepEqual(value.metadata, { city: 'Oslo' });
  assert.equal(value.changedAt, '2026-01-02T03:04:05.007Z');
  assert.deepEqual([value.late, invited().late], [false, false]);
  assert.equal(invited(new Date(at.getTime() - 1)).late, true);
  assert.deepEqual([shown().recipient, shown().metadata, shown().late], [null, {}, false]);
});

test('the check refuses a wrong type, a missing field and an extra field, also behind a reference', () => {
  const good = shown();
  const { note: _, ...without } = good;
  for (const bad of [{ ...good, selected: 'yes' }, { ...good, extra: 1 }, without, { ...good, terms: { sha256: 1 } }]) {
    assert.equal(isValid(Submission, bad), false);
  }
});

test('a submission with every value', () => {
  const value = shown({
    responseSessionId: id(7),
    questionIndex: 0,
    questionText: '',
    durationSec: 29.5,
    fileSize: 0,
    mimeType: 'video/webm',
    note: '',
    reviewNote: 'r',
    selected: true,
    transcriptStatus: TranscriptStatus.TRANSCRIPT_STATUS_COMPLETED,
    transcriptText: '',
    transcriptVtt: 'WEBVTT',
    hasThumbnails: true,
    hasAudio: true,
    mediaStatus: MediaStatus.MEDIA_STATUS_READY,
    terms: { sha256: 'cd', text: 't', acceptedAt: at },
    language: 'de',
    rating: 4,
  });
  assertIs(Submission, value);
  assert.equal(value.durationSec, 30);
  // 0 and "" are values, so they must not become null.
  assert.deepEqual([value.questionIndex, value.questionText, value.fileSize, value.note], [0, '', 0, '']);
  assert.equal(value.transcriptText, '');
  assert.equal(value.termsAccepted, true);
  assert.deepEqual(value.terms, { sha256: 'cd', acceptedAt: at.toISOString() });
  assert.match(value.thumbnailEndUrl ?? '', /thumbnail-end$/);
  assert.equal(value.mediaStatus, 'ready');
  assert.deepEqual([value.language, value.rating], ['de', 4]);
});

test('each transcript state has its name, and each name its state', () => {
  const names = [null, 'pending', 'processing', 'completed', 'failed', 'disabled'] as const;
  names.forEach((name, value) => {
    assert.equal(shown({ transcriptStatus: value as TranscriptStatus }).transcriptStatus, name);
    assert.equal(transcriptStatusOf(name ?? undefined), value);
  });
});

test('links', () => {
  const sharedLink = link({
    linkType: LinkType.LINK_TYPE_SHARED,
    status: LinkStatus.LINK_STATUS_DISABLED,
    openedAt: at,
  });
  const where = { baseUrl: BASE, projectId: id(4) };
  const value = presentLinks({ sharedLink, uniqueLinks: [link()] }, where);
  assertIs(ProjectLinks, { ...value, pagination: { nextCursor: null } });
  assert.deepEqual(
    { ...presentSharedLink(sharedLink, where), timeFactor: null },
    presentOwnSharedLink(sharedLink, where),
  );
  assert.deepEqual({ ...value.recipientUrls[0], timeFactor: null }, presentOwnLink(link(), BASE));
  assert.ok(![value.sharedLink, ...value.recipientUrls].some(each => 'timeFactor' in each!), 'only the owner sees it');
  assert.equal(presentOwnLink(link({ timeFactor: 2 }), BASE).timeFactor, 2);
  assertIs(RecipientLink, presentOwnLink(link(), BASE));
  assertIs(SharedRecipientLink, presentOwnSharedLink(sharedLink, where));
  assert.equal(value.sharedLink?.status, 'disabled');
  assert.equal(value.recipientUrls[0]?.recipientUrl, `${BASE}/r/vr_x`);
  assert.equal(presentCreatedSharedLink(sharedLink, where).url, `${BASE}/r/vr_x`);
  assert.equal(presentLinks({ uniqueLinks: [] }, where).sharedLink, null);
});

test('a project, its summary and its creation', () => {
  const counts = {
    videosCreated: 3,
    selectedVideos: 1,
    transcriptCompleted: 1,
    transcriptPending: 1,
    transcriptFailed: 1,
  };
  assertIs(ProjectSummary, presentProjectSummary(summaryOf(project), counts));
  const detail = presentProjectDetail(project, BASE, counts);
  assertIs(ProjectStats, detail.stats);
  assert.ok(!('timeFactor' in detail), 'only the owner sees it');
  const own = presentOwnProject(project, BASE, counts);
  assertIs(ProjectDetail, own);
  assert.deepEqual(own, { ...detail, timeFactor: project.settings!.timeFactor });
  assert.equal(detail.questionCount, 2);
  assert.equal(detail.interviewEnabled, true);
  assert.equal(detail.webhookEnabled, true);
  assert.equal(detail.webhookSigned, false);
  assert.equal(presentProjectDetail({ ...project, webhookSigned: true }, '').webhookSigned, true);
  assert.deepEqual(detail.webhookEvents, ['response.completed'], 'an unknown scope is omitted');
  assert.equal(detail.expiresAt, null);
  assert.equal(detail.transcriptionLanguage, '');
  assert.equal(detail.stats.videosCreated, 3);
  const creation = {
    project,
    projectToken: 'prj_x',
    sharedLink: link({ linkType: LinkType.LINK_TYPE_SHARED }),
    uniqueLinks: [link(), link()],
    user: { userId: id(5), userName: 'u', videoLimit: 10, videosReserved: 7 },
    reservedVideoCount: 7,
    replayed: false,
  };
  const created = {
    ...presentCreationHead(creation, BASE),
    recipientUrls: [presentCreatedLink(link(), { baseUrl: BASE, expiresAt: project.expiresAt })],
    ...presentCreationTail(creation),
  };
  assertIs(ProjectCreated, created);
  assert.equal(created.count, detail.stats.uniqueLinksTotal);
  assert.equal(created.dashboardUrl, `${BASE}/project/prj_x`);
  assert.equal(created.apiUser.remainingVideos, 3);
  assert.equal(created.recipientUrls[0]?.url, created.recipientUrls[0]?.recipientUrl);
});

test('an allowance without a limit is null, and the remaining videos are never below 0', () => {
  const token = { apiTokenId: id(8), label: 'l', scopes: ['profile:read'] };
  const free = presentUser({ userId: id(5), userName: 'u', videosReserved: 7 }, token);
  assertIs(CurrentUser, free);
  assert.deepEqual([free.videoLimit, free.remainingVideos], [null, null]);
  const over = presentUser({ userId: id(5), userName: 'u', videosReserved: 7, videoLimit: 5 }, token);
  assert.equal(over.remainingVideos, 0);
});

test('a message without a required field fails', () => {
  assert.throws(() => shown({ createdAt: undefined }), /createdAt is missing/);
  assert.throws(() => presentProjectDetail({ ...project, settings: undefined }, ''), /settings/);
});
