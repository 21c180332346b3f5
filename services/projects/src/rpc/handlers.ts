import type { Handlers } from '@recording-request/kit-rpc/grpc-server';
import type { AccountsServiceServer } from '@recording-request/proto/accounts/v1/accounts';
import type { ProjectsOperatorServiceServer } from '@recording-request/proto/operator/v1/projects';
import type { ProjectsServiceServer } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../context.ts';
import { actOnLinks } from './act-on-links.ts';
import { addLinks } from './add-links.ts';
import { authenticate } from './authenticate.ts';
import { beginResponse } from './begin-response.ts';
import { confirmErasure } from './confirm-erasure.ts';
import { confirmLinkErasure } from './confirm-link-erasure.ts';
import { createApiToken } from './create-api-token.ts';
import { createProject } from './create-project.ts';
import { createUser } from './create-user.ts';
import { eraseOwnedLink } from './erase-owned-link.ts';
import { eraseOwnedProject } from './erase-owned-project.ts';
import { eraseProject } from './erase-project.ts';
import { eraseSandbox } from './erase-sandbox.ts';
import { eraseUser } from './erase-user.ts';
import { findCompletion } from './find-completion.ts';
import { findInvitations } from './find-invitations.ts';
import { findLink } from './find-link.ts';
import { forgetReference } from './forget-reference.ts';
import { getEventLink } from './get-event-link.ts';
import { getInvitations } from './get-invitations.ts';
import { getProject } from './get-project.ts';
import { getResponse } from './get-response.ts';
import { getSharedLink } from './get-shared-link.ts';
import { getUser } from './get-user.ts';
import { getWebhookTarget } from './get-webhook-target.ts';
import { landClip } from './land-clip.ts';
import { listApiTokens } from './list-api-tokens.ts';
import { listLinks } from './list-links.ts';
import { listProjects } from './list-projects.ts';
import { listRetentions } from './list-retentions.ts';
import { listUsers } from './list-users.ts';
import { openLink } from './open-link.ts';
import { proposeErasure } from './propose-erasure.ts';
import { proposeLinkErasure } from './propose-link-erasure.ts';
import { releaseResponse } from './release-response.ts';
import { remindLink, stopReminders } from './remind-link.ts';
import { renameUser } from './rename-user.ts';
import { renewResponse } from './renew-response.ts';
import { reseal } from './reseal.ts';
import { resolveDashboardToken } from './resolve-dashboard-token.ts';
import { resolveRecipient } from './resolve-recipient.ts';
import { revokeApiToken } from './revoke-api-token.ts';
import { rotateApiToken } from './rotate-api-token.ts';
import { rotateDashboardToken } from './rotate-dashboard-token.ts';
import { setAllowance } from './set-allowance.ts';
import { setBrand } from './set-brand.ts';
import { getLogo, setLogo } from './set-logo.ts';
import { setProjectClosed } from './set-project-closed.ts';
import { setUserDisabled } from './set-user-disabled.ts';
import { showUser } from './show-user.ts';
import { takeEndedSandboxes } from './take-ended-sandboxes.ts';
import { updateLink } from './update-link.ts';
import { updateProject } from './update-project.ts';

export function accountsHandlers(context: Context): Handlers<AccountsServiceServer> {
  return {
    authenticate: authenticate(context),
    getUser: getUser(context),
    setBrand: setBrand(context),
  };
}

export function projectsHandlers(context: Context): Handlers<ProjectsServiceServer> {
  return {
    createProject: createProject(context),
    getProject: getProject(context),
    listProjects: listProjects(context),
    updateProject: updateProject(context),
    setLogo: setLogo(context),
    getLogo: getLogo(context),
    listLinks: listLinks(context),
    getSharedLink: getSharedLink(context),
    updateLink: updateLink(context),
    addLinks: addLinks(context),
    getInvitations: getInvitations(context),
    forgetReference: forgetReference(context),
    listRetentions: listRetentions(context),
    takeEndedSandboxes: takeEndedSandboxes(context),
    eraseSandbox: eraseSandbox(context),
    findInvitations: findInvitations(context),
    getEventLink: getEventLink(context),
    findCompletion: findCompletion(context),
    remindLink: remindLink(context),
    actOnLinks: actOnLinks(context),
    stopReminders: stopReminders(context),
    setProjectClosed: setProjectClosed(context),
    proposeErasure: proposeErasure(context),
    confirmErasure: confirmErasure(context),
    proposeLinkErasure: proposeLinkErasure(context),
    confirmLinkErasure: confirmLinkErasure(context),
    eraseOwnedProject: eraseOwnedProject(context),
    eraseOwnedLink: eraseOwnedLink(context),
    rotateDashboardToken: rotateDashboardToken(context),
    resolveDashboardToken: resolveDashboardToken(context),
    resolveRecipient: resolveRecipient(context),
    openLink: openLink(context),
    beginResponse: beginResponse(context),
    getResponse: getResponse(context),
    renewResponse: renewResponse(context),
    landClip: landClip(context),
    releaseResponse: releaseResponse(context),
    getWebhookTarget: getWebhookTarget(context),
  };
}

export function operatorHandlers(context: Context): Handlers<ProjectsOperatorServiceServer> {
  return {
    createUser: createUser(context),
    listUsers: listUsers(context),
    showUser: showUser(context),
    renameUser: renameUser(context),
    setUserDisabled: setUserDisabled(context),
    setAllowance: setAllowance(context),
    createApiToken: createApiToken(context),
    listApiTokens: listApiTokens(context),
    revokeApiToken: revokeApiToken(context),
    rotateApiToken: rotateApiToken(context),
    eraseUser: eraseUser(context),
    eraseProject: eraseProject(context),
    findLink: findLink(context),
    reseal: reseal(context),
  };
}
