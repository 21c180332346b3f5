/**
 * The client of Recording Request. Begin with `RecordingRequest`; receivers of webhooks need only `webhooks.unwrap`.
 * Node, Deno and Bun save files with `saveTo` of `@recording-request/client/files`.
 *
 * @packageDocumentation
 */
export { RecordingRequest } from './client.ts';
export { Download, type FileInfo, type OpenedDownload, type OpenOptions, type ResumeFrom } from './download.ts';
export { ERROR_CODES } from './error-codes.gen.ts';
export {
  ApiError,
  type ApiErrorDetails,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  DownloadChangedError,
  DownloadError,
  type ErrorCode,
  GoneError,
  IntegrityError,
  InvalidRequestError,
  type KnownErrorCode,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RecordingRequestError,
  ServerError,
  SignatureError,
  TimeoutError,
  UnexpectedAnswerError,
  UploadError,
} from './errors.ts';
export type { CursorStore, EventsOptions, EventsPage } from './events.ts';
export { List, type Page } from './pages.ts';
export { type Landed, Recorder } from './recorder.ts';
export {
  Exports,
  Submissions,
  type SubmissionsQuery,
  type ThumbnailPosition,
  type TranscriptFormat,
} from './resources/clips.ts';
export { Dashboard } from './resources/dashboard.ts';
export { Webhooks } from './resources/deliveries.ts';
export { type AddQuery, type Confirm, Links, type People, Projects } from './resources/projects.ts';
export type { CallOptions, ClientOptions, OnRetry } from './transport.ts';
export type * as api from './types.gen.ts';
export type {
  CurrentUser,
  Erasure,
  ExportDocument,
  LinksAdded,
  LinksChecked,
  OwnerEvent,
  ProjectCreated,
  ProjectDetail,
  ProjectSummary,
  RecipientLink,
  SharedRecipientLink,
  Submission,
  WebhookDelivery,
} from './types.gen.ts';
export type { NodeStream, UploadOptions, UploadSource } from './upload.ts';
export {
  type FeedEvent,
  type FeedEventType,
  type KnownWebhookEvent,
  type RawBody,
  sign,
  type UnknownType,
  type UnknownWebhookEvent,
  type UnwrapOptions,
  unwrap,
  type WebhookEvent,
  type WebhookEventType,
  type WebhookHeaders,
  type WebhookToSign,
  webhooks,
} from './webhooks.ts';
