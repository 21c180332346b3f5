import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit/grpc-server';
import type { UpdateProjectRequest, UpdateProjectResponse } from '@recording-request/proto/projects/v1/projects';
import { type Context, checked, inSeconds, noSuchProject, sealedFor } from '../context.ts';
import { type Project, rotateSecret, type Settings } from '../domain/project.ts';
import { checkExpiry, checkedSettings, checkSecret } from '../domain/settings-rules.ts';
import type { ProjectChange } from '../store/projects.ts';
import { toProject } from './project-messages.ts';

// Each try loses only to another change of the same secret or of the same uses in the same moment.
const TRIES = 5;

export const updateProject =
  (context: Context) =>
  async (request: UpdateProjectRequest, call: CallContext): Promise<UpdateProjectResponse> => {
    const { store } = context;
    const { ownerId, projectId, sharedLinkMaxUses } = request;
    for (let tries = 0; tries < TRIES; tries++) {
      const before = await store.projects.find(ownerId, projectId);
      if (!before) throw noSuchProject();
      const now = new Date();
      const change = changeOf(context, request, before, now);
      // Checked as a whole first, then the one that the allowance or the link may refuse: a refusal changes nothing.
      if (sharedLinkMaxUses !== undefined) {
        const done = await changeUses(context, ownerId, projectId, sharedLinkMaxUses, call.signal);
        if (!done) continue;
      }
      const after = await store.projects.update(ownerId, projectId, change, before.webhook.secret);
      if (!after) continue;
      const sums = await store.links.sums(ownerId, [projectId]);
      return { project: toProject(after, sums.get(projectId), now) };
    }
    throw new DomainError('conflict', 'The project is being changed by another request: try again in a moment.');
  };

/** False where another change came first: look again. */
async function changeUses(
  { store }: Context,
  ownerId: string,
  projectId: string,
  uses: number,
  signal: AbortSignal,
): Promise<boolean> {
  const link = await store.links.findSharedVersion(ownerId, projectId);
  if (!link) throw new DomainError('invalid', 'sharedLinkMaxUses: this project has no shared link.');
  const outcome = await store.sharedUses.change(link, uses, signal);
  if (outcome === 'refused') {
    const now = await store.links.findShared(ownerId, projectId);
    const used = now ? now.claimed + now.landed : 0;
    throw new DomainError('invalid', `sharedLinkMaxUses must be at least ${used}, the uses that are taken already.`);
  }
  return outcome === 'taken';
}

function changeOf(context: Context, request: UpdateProjectRequest, before: Project, now: Date): ProjectChange {
  const { allowHttpUrls, webhookSecretOverlapSeconds } = context.config;
  const settings = checked(() => {
    checkedSettings({ sharedLinkMaxUses: request.sharedLinkMaxUses }, { allowHttp: allowHttpUrls });
    return checkedSettings(settingsOf(request), { allowHttp: allowHttpUrls });
  });
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
