import type { GetWebhookTargetRequest, GetWebhookTargetResponse } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { noSuchProject, signingSecrets } from '../domain/project.ts';
import { sealedFor } from '../domain/sealing.ts';
import { openUnlessLost } from '../workflows/open-unless-lost.ts';

export const getWebhookTarget =
  (context: Context) =>
  async ({ projectId }: GetWebhookTargetRequest): Promise<GetWebhookTargetResponse> => {
    const { store, secrets, clock } = context;
    const project = await store.projects.findForService(projectId);
    if (!project) throw noSuchProject();
    const { webhookUrl } = project.settings;
    const owner = sealedFor.webhook(projectId);
    // Fails if the key of the current secret is lost, because every receiver must know this secret. Omits a former
    // secret whose key is lost, because receivers need it for a day at most.
    const open = (sealed: string, index: number) =>
      (index === 0 ? secrets.open(sealed, owner) : openUnlessLost(context, sealed, owner))?.toString() ?? [];
    return {
      projectName: project.settings.projectName,
      webhookUrl,
      // Without an address, webhooks signs nothing, so the call must not fail when the secret's key is lost.
      secrets: webhookUrl === '' ? [] : signingSecrets(project.webhook, clock.now()).flatMap(open),
      targetVersion: project.webhook.targetVersion,
      events: project.settings.webhookEvents,
      ownerId: project.ownerId,
      hasInvitations: project.hasInvitations ?? false,
      sandbox: project.settings.sandbox,
    };
  };
