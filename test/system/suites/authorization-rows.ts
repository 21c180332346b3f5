import type { SeedData } from '../harness/seed.ts';

export type Scope =
  | 'profile:read'
  | 'projects:read'
  | 'projects:write'
  | 'links:read'
  | 'submissions:read'
  | 'events:read'
  | 'projects:erase';

/** The access rule of one operation of openapi.json. */
export interface Row {
  /**
   * The scope that an API token needs. `dashboard` needs the dashboard token in the path, `recipient` the token of the
   * recording link, and `public` nothing.
   */
  access: Scope | 'dashboard' | 'recipient' | 'public';
  /** The status for a token of the owner that has only this scope; 200 by default. */
  allowed?: number;
  json?: unknown;
  /** The kind of the last id in the path. */
  id?: 'submission' | 'link' | 'delivery';
  /** Uses the spare project, which other tests do not need. */
  spare?: boolean;
}

const read = (access: Row['access'], more: Partial<Row> = {}): Row => ({ access, ...more });
const clip: Partial<Row> = { id: 'submission' };

/** Every operation by its operationId; an operation without a row fails the suite. */
export const ROWS: Record<string, Row> = {
  getCurrentUser: read('profile:read'),
  updateCurrentUser: read('projects:write', { json: {} }),
  listProjects: read('projects:read'),
  createProject: read('projects:write', { json: { projectName: 'By the matrix', count: 1 } }),
  getProject: read('projects:read'),
  updateProject: read('projects:write', { json: {} }),
  // 400 without a body.
  setLogo: read('projects:write', { spare: true, allowed: 400 }),
  removeLogo: read('projects:write', { spare: true }),
  // 404, because the spare project has no logo.
  getLogo: read('projects:read', { spare: true, allowed: 404 }),
  // These two rows run in this order, so the spare project is open again afterwards.
  closeProject: read('projects:write', { spare: true }),
  reopenProject: read('projects:write', { spare: true }),
  listLinks: read('links:read'),
  getSharedLinkQrCode: read('links:read'),
  addLinks: read('projects:write', { json: { links: [{ name: 'By the matrix' }] } }),
  exportLinksCsv: read('links:read'),
  updateLink: read('projects:write', { json: { disabled: false }, id: 'link' }),
  remindLink: read('projects:write', { id: 'link' }),
  // The request names no links, so it changes nothing in a project that other tests use.
  actOnLinks: read('projects:write', {
    json: { action: 'enable', tokenIds: ['019a3f0e-52c1-7a10-8c55-0d6f3b1f2a02'] },
  }),
  rotateDashboardToken: read('projects:write', { spare: true }),
  listSubmissions: read('submissions:read'),
  getSubmission: read('submissions:read', clip),
  updateSubmission: read('projects:write', { json: {}, ...clip }),
  getReview: read('submissions:read', clip),
  rateSubmission: read('projects:write', { json: { rating: null }, ...clip }),
  addNote: read('projects:write', {
    json: { id: '019a3f0e-52c1-7a10-8c55-0d6f3b1f2a02', atSec: 0, text: 'x' },
    ...clip,
  }),
  removeNote: read('projects:write', clip),
  // 409, because this clip's transcript did not fail.
  requestTranscript: read('projects:write', { allowed: 409, ...clip }),
  // 409, because this clip's media did not fail.
  requestMedia: read('projects:write', { allowed: 409, ...clip }),
  exportJson: read('submissions:read'),
  exportCsv: read('submissions:read'),
  exportZip: read('submissions:read'),
  exportTranscripts: read('submissions:read'),
  exportTranscriptsZip: read('submissions:read'),
  getTranscriptText: read('submissions:read', clip),
  getTranscriptVtt: read('submissions:read', clip),
  getTranscriptSrt: read('submissions:read', clip),
  getVideo: read('submissions:read', clip),
  getThumbnailStart: read('submissions:read', clip),
  getThumbnailMiddle: read('submissions:read', clip),
  getThumbnailEnd: read('submissions:read', clip),
  getAudio: read('submissions:read', clip),
  listWebhookDeliveries: read('submissions:read'),
  redeliverWebhook: read('projects:write', { id: 'delivery' }),
  // The spare project has no webhookUrl.
  redeliverWebhooks: read('projects:write', { json: {}, spare: true, allowed: 409 }),
  testWebhook: read('projects:write'),
  listEvents: read('events:read'),
  // Without `confirm`, these erase nothing.
  eraseProject: read('projects:erase'),
  getErasure: read('projects:erase'),
  eraseLink: read('projects:erase', { id: 'link' }),
  eraseSubmission: read('projects:erase', clip),
  dashboardExportJson: read('dashboard'),
  dashboardExportCsv: read('dashboard'),
  dashboardExportZip: read('dashboard'),
  dashboardExportTranscripts: read('dashboard'),
  dashboardExportTranscriptsZip: read('dashboard'),
  dashboardGetSharedLinkQrCode: read('dashboard'),
  dashboardGetOverview: read('dashboard'),
  dashboardListSubmissions: read('dashboard'),
  dashboardListLinks: read('dashboard'),
  dashboardGetWebhookEndpoint: read('dashboard'),
  dashboardExportSelected: read('dashboard'),
  dashboardGetSubmission: read('dashboard', clip),
  dashboardGetReview: read('dashboard', clip),
  dashboardGetVideo: read('dashboard', clip),
  dashboardGetThumbnailStart: read('dashboard', clip),
  dashboardGetThumbnailMiddle: read('dashboard', clip),
  dashboardGetThumbnailEnd: read('dashboard', clip),
  dashboardGetAudio: read('dashboard', clip),
  dashboardGetTranscriptText: read('dashboard', clip),
  dashboardGetTranscriptVtt: read('dashboard', clip),
  dashboardGetTranscriptSrt: read('dashboard', clip),
  openLink: read('recipient'),
  getScript: read('recipient'),
  beginResponse: read('recipient', { json: {} }),
  getResponse: read('recipient'),
  updateResponse: read('recipient', { json: { note: 'x' } }),
  createUpload: read('recipient'),
  getUploadOffset: read('recipient'),
  appendToUpload: read('recipient'),
  deleteUpload: read('recipient'),
  getOpenApi: read('public'),
  getRecorderDocs: read('public'),
  getRecorderDocsText: read('public'),
  getLlmsTxt: read('public'),
  getDocs: read('public'),
  getDocsPage: read('public'),
};

export interface Ids {
  projectId: string;
  submission: string;
  link: string;
  delivery: string;
}

/** Returns the ids for Ada's paths, and Bob's ids for the same places. */
export async function idsOf({ ada, bob, full, clip, bobs, bobsClip }: SeedData): Promise<{ ada: Ids; bob: Ids }> {
  const delivery = async (owner: typeof ada, projectId: string) => {
    const { deliveries } = (await owner.ask(`/api/projects/${projectId}/webhook-deliveries`)).json();
    return deliveries[0].deliveryId as string;
  };
  return {
    ada: {
      projectId: full.projectId,
      submission: clip.submissionId,
      link: full.recipientUrls[0]!.tokenId,
      delivery: await delivery(ada, full.projectId),
    },
    bob: {
      projectId: bobs.projectId,
      submission: bobsClip.submissionId,
      link: bobs.recipientUrls[0]!.tokenId,
      delivery: await delivery(bob, bobs.projectId),
    },
  };
}
