/**
 * A client may repeat these RPCs, at any replica, if it lost the connection before the answer. They are reads, and
 * writes whose caller chose the id or the target state, so a repetition has the same result.
 */
const READS = [
  '/recording.accounts.v1.AccountsService/Authenticate',
  '/recording.accounts.v1.AccountsService/GetUser',
  '/recording.projects.v1.ProjectsService/GetProject',
  '/recording.projects.v1.ProjectsService/GetLogo',
  '/recording.projects.v1.ProjectsService/ListProjects',
  '/recording.projects.v1.ProjectsService/ListLinks',
  '/recording.projects.v1.ProjectsService/GetSharedLink',
  '/recording.projects.v1.ProjectsService/GetInvitations',
  '/recording.projects.v1.ProjectsService/GetEventLink',
  '/recording.projects.v1.ProjectsService/FindInvitations',
  '/recording.projects.v1.ProjectsService/FindCompletion',
  '/recording.projects.v1.ProjectsService/ProposeErasure',
  '/recording.projects.v1.ProjectsService/ConfirmErasure',
  '/recording.projects.v1.ProjectsService/ProposeLinkErasure',
  '/recording.projects.v1.ProjectsService/ConfirmLinkErasure',
  '/recording.projects.v1.ProjectsService/ResolveDashboardToken',
  '/recording.projects.v1.ProjectsService/ResolveRecipient',
  '/recording.projects.v1.ProjectsService/GetResponse',
  '/recording.projects.v1.ProjectsService/GetWebhookTarget',
  '/recording.projects.v1.ProjectsService/ListRetentions',
  '/recording.submissions.v1.SubmissionsService/ListSubmissions',
  '/recording.submissions.v1.SubmissionsService/GetSubmission',
  '/recording.submissions.v1.SubmissionsService/GetReview',
  '/recording.submissions.v1.SubmissionsService/CountSubmissions',
  '/recording.submissions.v1.SubmissionsService/MeasureVideos',
  '/recording.submissions.v1.SubmissionsService/GetMedia',
  '/recording.submissions.v1.SubmissionsService/ListUploads',
  '/recording.submissions.v1.SubmissionsService/GetErasure',
  '/recording.submissions.v1.SubmissionsService/GetLinkErasure',
  '/recording.exports.v1.ExportsService/OpenArchive',
  '/recording.exports.v1.ExportsService/LocateArchive',
  '/recording.webhooks.v1.WebhooksService/ListDeliveries',
  '/recording.webhooks.v1.WebhooksService/ListEvents',
  '/recording.media.v1.MediaService/Inspect',
];

const SAME_DONE_TWICE = [
  '/recording.accounts.v1.AccountsService/SetBrand',
  '/recording.projects.v1.ProjectsService/SetLogo',
  // The caller chooses the session's id, so a repeated call begins the same response.
  '/recording.projects.v1.ProjectsService/BeginResponse',
  '/recording.projects.v1.ProjectsService/RenewResponse',
  '/recording.projects.v1.ProjectsService/ReleaseResponse',
  '/recording.projects.v1.ProjectsService/LandClip',
  '/recording.projects.v1.ProjectsService/UpdateLink',
  '/recording.projects.v1.ProjectsService/ForgetReference',
  '/recording.projects.v1.ProjectsService/StopReminders',
  '/recording.projects.v1.ProjectsService/SetProjectClosed',
  '/recording.submissions.v1.SubmissionsService/SetResponseNote',
  '/recording.submissions.v1.SubmissionsService/ChangeReview',
  '/recording.submissions.v1.SubmissionsService/TouchLink',
  '/recording.submissions.v1.SubmissionsService/BeginErasure',
  '/recording.submissions.v1.SubmissionsService/BeginLinkErasure',
  '/recording.exports.v1.ExportsService/ReportArchive',
  '/recording.webhooks.v1.WebhooksService/RefreshEndpoint',
  '/recording.work.v1.WorkService/RenewJob',
];

export const REPEATABLE: ReadonlySet<string> = new Set([...READS, ...SAME_DONE_TWICE]);

/** Returns whether a client may repeat the RPC with this path. */
export const mayRepeat = (path: string): boolean => REPEATABLE.has(path);
