/**
 * The RPCs that a caller may send a second time when the connection was lost before the answer came, to whichever replica: those
 * that only read, and writes that are the same done twice, because the caller chose the id or the state that they lead to.
 */
const READS = [
  '/recording.accounts.v1.AccountsService/Authenticate',
  '/recording.accounts.v1.AccountsService/GetUser',
  '/recording.projects.v1.ProjectsService/GetProject',
  '/recording.projects.v1.ProjectsService/ListProjects',
  '/recording.projects.v1.ProjectsService/ListLinks',
  '/recording.projects.v1.ProjectsService/GetSharedLink',
  '/recording.projects.v1.ProjectsService/ResolveDashboardToken',
  '/recording.projects.v1.ProjectsService/ResolveRecipient',
  '/recording.projects.v1.ProjectsService/GetResponse',
  '/recording.projects.v1.ProjectsService/GetWebhookTarget',
  '/recording.submissions.v1.SubmissionsService/ListSubmissions',
  '/recording.submissions.v1.SubmissionsService/GetSubmission',
  '/recording.submissions.v1.SubmissionsService/CountSubmissions',
  '/recording.submissions.v1.SubmissionsService/MeasureVideos',
  '/recording.submissions.v1.SubmissionsService/GetMedia',
  '/recording.submissions.v1.SubmissionsService/ListUploads',
  '/recording.exports.v1.ExportsService/OpenArchive',
  '/recording.exports.v1.ExportsService/LocateArchive',
  '/recording.webhooks.v1.WebhooksService/ListDeliveries',
  '/recording.media.v1.MediaService/Inspect',
];

const SAME_DONE_TWICE = [
  // The session's id is the caller's: the second begins what the first began.
  '/recording.projects.v1.ProjectsService/BeginResponse',
  '/recording.projects.v1.ProjectsService/RenewResponse',
  '/recording.projects.v1.ProjectsService/ReleaseResponse',
  '/recording.projects.v1.ProjectsService/LandClip',
  '/recording.projects.v1.ProjectsService/UpdateLink',
  '/recording.submissions.v1.SubmissionsService/SetResponseNote',
  '/recording.exports.v1.ExportsService/ReportArchive',
  '/recording.webhooks.v1.WebhooksService/RefreshEndpoint',
  '/recording.work.v1.WorkService/RenewJob',
];

export const REPEATABLE: ReadonlySet<string> = new Set([...READS, ...SAME_DONE_TWICE]);

/** Whether a call of the RPC with this path may be sent twice. */
export const mayRepeat = (path: string): boolean => REPEATABLE.has(path);
