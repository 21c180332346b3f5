import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit/grpc-server';
import type { UpdateProjectRequest, UpdateProjectResponse } from '@recording-request/proto/projects/v1/projects';
import { type Project, rotateSecret, type Settings } from '../domain/project.ts';
import { checkExpiry, checkedSettings, checkSecret } from '../domain/settings-rules.ts';
import type { ProjectChange } from '../store/projects.ts';
import { type Context, checked, inSeconds, noSuchProject, sealedFor } from './context.ts';
import { toProject } from './project-messages.ts';

// Each try loses only to another rotation of the same secret in the same moment.
const TRIES = 5;

export const updateProject =
  (context: Context) =>
  async (request: UpdateProjectRequest, call: CallContext): Promise<UpdateProjectResponse> => {
    const { store } = context;
    const { ownerId, projectId } = request;
    for (let tries = 0; tries < TRIES; tries++) {
      const before = await store.projects.find(ownerId, projectId);
      if (!before) throw noSuchProject();
      const now = new Date();
      const change = changeOf(context, request, before, now);
      const after = await apply(context, request, change, before, call.signal);
      if (!after) continue;
      const sums = await store.links.sums(ownerId, [projectId]);
      return { project: toProject(after, sums.get(projectId), now) };
    }
    throw new DomainError('conflict', 'The project is being changed by another request: try again in a moment.');
  };

async function apply(
  { store }: Context,
  request: UpdateProjectRequest,
  change: ProjectChange,
  before: Project,
  signal: AbortSignal,
): Promise<Project | null> {
  const { ownerId, projectId, sharedLinkMaxUses } = request;
  const known = before.webhook.secret;
  if (sharedLinkMaxUses === undefined) return await store.projects.update(ownerId, projectId, change, known);
  return await store
    .transaction(async session => {
      // The link first, while the transaction's view of it is newest: contributors claim uses of it at any moment.
      const link = await store.links.setSharedMaxUses(ownerId, projectId, sharedLinkMaxUses, session);
      if (!link) throw await whyNot(ownerId, projectId);
      const difference = sharedLinkMaxUses - link.maxUses;
      if (difference !== 0) await store.users.reserve(ownerId, difference, session);
      const after = await store.projects.update(ownerId, projectId, change, known, session);
      if (!after) throw new SecretMoved();
      return after;
    }, signal)
    .catch(error => {
      if (error instanceof SecretMoved) return null;
      throw error;
    });

  async function whyNot(owner: string, project: string): Promise<DomainError> {
    const link = await store.links.findShared(owner, project);
    if (!link) return new DomainError('invalid', 'sharedLinkMaxUses: this project has no shared link.');
    const used = link.claimed + link.landed;
    return new DomainError('invalid', `sharedLinkMaxUses must be at least ${used}, the uses already taken.`);
  }
}

/** Undoes the transaction of an update that must be tried again. */
class SecretMoved extends Error {}

function changeOf(context: Context, request: UpdateProjectRequest, before: Project, now: Date): ProjectChange {
  const { allowHttpUrls, webhookSecretOverlapSeconds } = context.config;
  const settings = checked(() => checkedSettings(settingsOf(request), { allowHttp: allowHttpUrls }));
  const change: ProjectChange = { settings, addressWasSet: request.webhookUrl !== undefined };
  const expiresAt = expiryOf(context, request, now);
  if (expiresAt !== undefined) change.expiresAt = expiresAt;
  const secret = request.webhookSecret;
  if (secret === undefined) return change;
  checked(() => checkSecret(secret));
  const owner = sealedFor.webhook(before._id);
  const current = before.webhook.secret === '' ? '' : context.secrets.open(before.webhook.secret, owner).toString();
  // The same secret again is no rotation: it would push out the one that really was before.
  if (secret !== current) {
    const sealed = secret === '' ? '' : context.secrets.seal(secret, owner);
    change.secret = rotateSecret(before.webhook, sealed, inSeconds(now, webhookSecretOverlapSeconds));
  }
  return change;
}

function settingsOf(request: UpdateProjectRequest): Partial<Settings> {
  const given: Partial<Settings> = {
    projectName: request.projectName,
    maxDurationSec: request.maxDurationSec,
    transcriptionEnabled: request.transcriptionEnabled,
    noteEnabled: request.noteEnabled,
    requestUrl: request.requestUrl,
    webhookUrl: request.webhookUrl,
    requireTerms: request.requireTerms,
    termsLabel: request.termsLabel,
    termsText: request.termsText,
    interviewQuestions: request.interviewQuestions?.questions,
    showSuccessDialog: request.showSuccessDialog,
    successMessage: request.successMessage,
    sharedLinkMaxUses: request.sharedLinkMaxUses,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** undefined: stays as it is. The window starts now. */
function expiryOf(context: Context, { expiry }: UpdateProjectRequest, now: Date): Date | null | undefined {
  if (expiry === undefined) return undefined;
  if (expiry.$case === 'neverExpire') {
    return expiry.value ? null : inSeconds(now, context.config.defaultExpirySeconds);
  }
  checked(() => checkExpiry(expiry.value));
  return inSeconds(now, expiry.value);
}
