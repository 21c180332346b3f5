import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { UpdateProjectRequest, UpdateProjectResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { type ProjectUpdate, updateProject as update } from '../workflows/update-project.ts';
import { toProject } from './project-messages.ts';

export const updateProject =
  (context: Context) =>
  async (request: UpdateProjectRequest, call: CallContext): Promise<UpdateProjectResponse> => {
    const { ownerId, projectId, sharedLinkMaxUses, webhookSecret } = request;
    const settings = settingsOf(request);
    const expiry = expiryOf(request);
    const given = { ownerId, projectId, settings, sharedLinkMaxUses, expiry, webhookSecret };
    const project = await update(context, given, call.signal);
    const sums = await context.store.links.sums(ownerId, [projectId]);
    return { project: toProject(project, sums.get(projectId), context.clock.now()) };
  };

function settingsOf(request: UpdateProjectRequest): ProjectUpdate['settings'] {
  const given: ProjectUpdate['settings'] = {
    projectName: request.projectName,
    maxDurationSec: request.maxDurationSec,
    transcriptionEnabled: request.transcriptionEnabled,
    transcriptionLanguage: request.transcriptionLanguage,
    noteEnabled: request.noteEnabled,
    requestUrl: request.requestUrl,
    webhookUrl: request.webhookUrl,
    webhookEvents: request.webhookEvents?.types,
    requireTerms: request.requireTerms,
    termsLabel: request.termsLabel,
    termsText: request.termsText,
    interviewQuestions: request.interviewQuestions?.questions,
    showSuccessDialog: request.showSuccessDialog,
    successMessage: request.successMessage,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function expiryOf({ expiry }: UpdateProjectRequest): ProjectUpdate['expiry'] {
  if (expiry?.$case !== 'neverExpire') return expiry?.value;
  return expiry.value ? 'never' : 'default';
}
