import type { GetWebhookTargetRequest, GetWebhookTargetResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchProject, signingSecrets } from '../domain/project.ts';
import { sealedFor } from '../domain/sealing.ts';

export const getWebhookTarget =
  ({ store, secrets, clock }: Context) =>
  async ({ projectId }: GetWebhookTargetRequest): Promise<GetWebhookTargetResponse> => {
    const project = await store.projects.findForService(projectId);
    if (!project) throw noSuchProject();
    const sealed = signingSecrets(project.webhook, clock.now());
    return {
      projectName: project.settings.projectName,
      webhookUrl: project.settings.webhookUrl,
      secrets: sealed.map(secret => secrets.open(secret, sealedFor.webhook(projectId)).toString()),
      targetVersion: project.webhook.targetVersion,
      events: project.settings.webhookEvents ?? [],
    };
  };
