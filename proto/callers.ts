/**
 * The permitted callers of each RPC. Every server checks its callers' certificates against this table and refuses an
 * RPC that the table does not list. The table is next to the protocol because no service knows the RPCs of all
 * services.
 *
 * When a service stops calling an RPC, keep that caller for one more version: during an upgrade, the previous version
 * still calls the RPC.
 */
export const SERVICES = ['gateway', 'projects', 'submissions', 'media', 'transcription', 'webhooks'] as const;
export const OPERATOR = 'operator';
export type Caller = (typeof SERVICES)[number] | typeof OPERATOR;

export const CALLERS: Readonly<Record<string, readonly Caller[]>> = {
  '/recording.accounts.v1.AccountsService/Authenticate': ['gateway'],
  '/recording.accounts.v1.AccountsService/GetUser': ['gateway', 'operator'],
  '/recording.accounts.v1.AccountsService/SetBrand': ['gateway'],

  '/recording.projects.v1.ProjectsService/CreateProject': ['gateway'],
  '/recording.projects.v1.ProjectsService/GetProject': ['gateway', 'submissions'],
  '/recording.projects.v1.ProjectsService/ListProjects': ['gateway', 'operator'],
  '/recording.projects.v1.ProjectsService/UpdateProject': ['gateway'],
  '/recording.projects.v1.ProjectsService/SetLogo': ['gateway'],
  '/recording.projects.v1.ProjectsService/GetLogo': ['gateway'],
  '/recording.projects.v1.ProjectsService/ListLinks': ['gateway', 'submissions'],
  '/recording.projects.v1.ProjectsService/GetSharedLink': ['gateway'],
  '/recording.projects.v1.ProjectsService/UpdateLink': ['gateway'],
  '/recording.projects.v1.ProjectsService/RemindLink': ['gateway'],
  '/recording.projects.v1.ProjectsService/ActOnLinks': ['gateway'],
  '/recording.projects.v1.ProjectsService/StopReminders': ['gateway'],
  '/recording.projects.v1.ProjectsService/AddLinks': ['gateway'],
  '/recording.projects.v1.ProjectsService/FindInvitations': ['gateway'],
  '/recording.projects.v1.ProjectsService/FindCompletion': ['gateway'],
  '/recording.projects.v1.ProjectsService/SetProjectClosed': ['gateway'],
  '/recording.projects.v1.ProjectsService/ProposeErasure': ['gateway'],
  '/recording.projects.v1.ProjectsService/ConfirmErasure': ['gateway'],
  '/recording.projects.v1.ProjectsService/ProposeLinkErasure': ['gateway'],
  '/recording.projects.v1.ProjectsService/ConfirmLinkErasure': ['gateway'],
  '/recording.projects.v1.ProjectsService/EraseOwnedProject': ['submissions'],
  '/recording.projects.v1.ProjectsService/EraseOwnedLink': ['submissions'],
  '/recording.projects.v1.ProjectsService/GetInvitations': ['gateway', 'submissions', 'webhooks'],
  '/recording.projects.v1.ProjectsService/GetEventLink': ['webhooks'],
  '/recording.projects.v1.ProjectsService/ForgetReference': ['submissions'],
  '/recording.projects.v1.ProjectsService/ListRetentions': ['submissions'],
  '/recording.projects.v1.ProjectsService/TakeEndedSandboxes': ['submissions'],
  '/recording.projects.v1.ProjectsService/EraseSandbox': ['submissions'],
  '/recording.projects.v1.ProjectsService/RotateDashboardToken': ['gateway'],
  '/recording.projects.v1.ProjectsService/ResolveDashboardToken': ['gateway'],
  '/recording.projects.v1.ProjectsService/ResolveRecipient': ['gateway'],
  '/recording.projects.v1.ProjectsService/OpenLink': ['gateway'],
  '/recording.projects.v1.ProjectsService/BeginResponse': ['gateway'],
  '/recording.projects.v1.ProjectsService/GetResponse': ['gateway', 'submissions'],
  '/recording.projects.v1.ProjectsService/RenewResponse': ['submissions'],
  '/recording.projects.v1.ProjectsService/LandClip': ['submissions'],
  '/recording.projects.v1.ProjectsService/ReleaseResponse': ['submissions'],
  '/recording.projects.v1.ProjectsService/GetWebhookTarget': ['webhooks'],

  '/recording.submissions.v1.SubmissionsService/ListSubmissions': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/GetSubmission': ['gateway', 'webhooks'],
  '/recording.submissions.v1.SubmissionsService/UpdateSubmission': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/GetReview': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/ChangeReview': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/RequestTranscript': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/RequestMedia': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/CountSubmissions': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/MeasureVideos': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/GetMedia': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/ListUploads': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/SetResponseNote': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/TouchLink': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/EraseClip': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/BeginErasure': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/GetErasure': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/BeginLinkErasure': ['gateway'],
  '/recording.submissions.v1.SubmissionsService/GetLinkErasure': ['gateway'],

  '/recording.exports.v1.ExportsService/Export': ['gateway'],
  '/recording.exports.v1.ExportsService/OpenArchive': ['gateway'],
  '/recording.exports.v1.ExportsService/LocateArchive': ['gateway'],
  '/recording.exports.v1.ExportsService/ReportArchive': ['gateway'],

  '/recording.webhooks.v1.WebhooksService/ListDeliveries': ['gateway'],
  '/recording.webhooks.v1.WebhooksService/Redeliver': ['gateway'],
  '/recording.webhooks.v1.WebhooksService/RedeliverRange': ['gateway'],
  '/recording.webhooks.v1.WebhooksService/SendTest': ['gateway'],
  '/recording.webhooks.v1.WebhooksService/RefreshEndpoint': ['gateway'],
  '/recording.webhooks.v1.WebhooksService/ListEvents': ['gateway'],
  '/recording.webhooks.v1.WebhooksService/EraseEvents': ['gateway'],

  '/recording.media.v1.MediaService/Inspect': ['submissions'],

  '/recording.work.v1.WorkService/TakeJob': ['media', 'transcription'],
  '/recording.work.v1.WorkService/RenewJob': ['media', 'transcription'],
  '/recording.work.v1.WorkService/GiveBackJob': ['media', 'transcription'],

  '/recording.operator.v1.ProjectsOperatorService/CreateUser': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/ListUsers': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/ShowUser': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/RenameUser': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/SetUserDisabled': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/SetAllowance': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/CreateApiToken': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/ListApiTokens': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/RevokeApiToken': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/RotateApiToken': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/EraseUser': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/EraseProject': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/FindLink': ['operator'],
  '/recording.operator.v1.ProjectsOperatorService/Reseal': ['operator'],

  '/recording.operator.v1.SubmissionsOperatorService/EraseSubmission': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/EraseProjectSubmissions': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/EraseLink': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/GetBacklog': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/ListTroubledUploads': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/GetTroubledUpload': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/RetryUpload': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/ListDeadLetters': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/GetDeadLetter': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/ReplayDeadLetter': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/DropDeadLetter': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/CheckStore': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/GetTrace': ['operator'],
  '/recording.operator.v1.SubmissionsOperatorService/RetryMedia': ['operator'],

  '/recording.operator.v1.WebhooksOperatorService/EraseSubmissionDeliveries': ['operator'],
  '/recording.operator.v1.WebhooksOperatorService/EraseLinkDeliveries': ['operator'],
  '/recording.operator.v1.WebhooksOperatorService/EraseProjectDeliveries': ['operator'],
  '/recording.operator.v1.WebhooksOperatorService/EraseOwnerEvents': ['operator'],
  '/recording.operator.v1.WebhooksOperatorService/GetSending': ['operator'],
  '/recording.operator.v1.WebhooksOperatorService/SetSending': ['operator'],
  '/recording.operator.v1.WebhooksOperatorService/ResealBodies': ['operator'],
};

/** The services that may call the HTTP listener of submissions. That listener trusts their `x-owner-id`. */
export const UPLOAD_CALLERS: readonly Caller[] = ['gateway'];

const of = (path: string): readonly Caller[] => (Object.hasOwn(CALLERS, path) ? CALLERS[path]! : []);

/**
 * The permitted callers of each listener. A service's certificate does not open the operator's listener; the operator's
 * certificate opens no other listener.
 */
export const callers = {
  services: (path: string): readonly Caller[] => of(path).filter(caller => caller !== OPERATOR),
  operator: (path: string): readonly Caller[] => of(path).filter(caller => caller === OPERATOR),
};
