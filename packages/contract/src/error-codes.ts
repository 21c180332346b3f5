/**
 * The values of the header `Error-Code`, and the case of each. A value keeps its meaning within version 1; new values
 * may be added. Services send a value as the `reason` of an error.
 */
export const ERROR_CODES = {
  value_invalid: '400: a value is not valid; the sentence names the field.',
  filter_unknown: '400: the route has no query parameter of this name, or the name is spelled differently.',
  answer_mode_refused: '400: the project does not allow this way to answer; the sentence names those that it allows.',
  terms_required: '400: the project requires its terms, and `termsAccepted` was not true.',
  token_invalid: '401: the token is missing, malformed, unknown, expired or revoked.',
  forbidden: '403: the request is not allowed.',
  scope_missing: '403: the token lacks the scope that the sentence names.',
  allowance_exceeded: '403: the request needs more videos than the allowance has left.',
  sandbox_limit:
    '403: the owner has created as many sandboxes as a day allows; the sentence says when the next one may be created.',
  not_found: '404: the resource does not exist, is not yours, or is not ready yet.',
  method_not_allowed: '405: the path does not have this method; `Allow` names its methods.',
  request_timeout: '408: the request, or its body, took too long to arrive.',
  conflict: '409: another request is changing the same resource; try again.',
  idempotency_key_in_use:
    '409: the first request with this `Idempotency-Key` is still running; wait for `Retry-After`.',
  offset_mismatch: '409: `Upload-Offset` is not the stored offset, which HEAD returns.',
  recipient_duplicate: '409: a person of the request already has a link of the project, or is in the request twice.',
  link_busy: '409: every use of the link is claimed, but not all have landed; try again later.',
  upload_busy: '409: the answer is being sent already, or too many uploads of it are open.',
  transcript_not_failed: '409: only a failed transcript can be requested again.',
  media_not_failed: '409: media can be requested again only if some of it could not be made.',
  erasure_unconfirmed:
    '409: `confirm` has expired, or was given out for another project, link, submission or owner; nothing was erased.',
  webhook_url_missing: '409: the project has no webhookUrl.',
  webhooks_paused: '409: the operator has paused all webhooks, so no test can be sent; events wait.',
  gone: '410: the resource no longer exists.',
  cursor_expired:
    '410: the feed no longer has the events after this cursor; `Events-Oldest` is a cursor that continues with the oldest one.',
  link_used: '410: every response that the link accepts has been sent.',
  link_expired: '410: the link has expired.',
  link_disabled: '410: the link was disabled.',
  project_closed: '410: the owner has closed the project.',
  answer_sent: '410: this answer was sent already, from this device or another.',
  submission_erased: '410: the submission was erased.',
  event_key_lost: '410: the operator has lost the key that decrypts the event.',
  tus_version_unsupported: '412: send `Tus-Resumable: 1.0.0`.',
  body_too_large: '413: the body is too large; the sentence names the limit.',
  body_not_json: '415: send the body as application/json.',
  range_not_satisfiable: '416: the range lies outside the bytes; `Content-Range` gives their number.',
  expectation_failed: '417: send no `Expect` other than `100-continue`.',
  unprocessable: '422: the request is understood but cannot be carried out.',
  not_remindable:
    '422: the person of the link has sent a clip or stopped the reminders, or the link is shared, disabled, expired or closed.',
  not_video: '422: the bytes are not a playable video, or its picture is larger than 8K.',
  too_long: '422: the clip is longer than `maxDurationSec`.',
  too_many_notes: '422: the submission has as many notes as it may have.',
  idempotency_key_reused: '422: this `Idempotency-Key` was used with another body.',
  upload_locked: '423: another request is writing to this upload; try again in a moment.',
  rate_limited: '429: too many requests; wait for `Retry-After`.',
  reminded_recently: '429: the link had a reminder less than an hour ago.',
  headers_too_large: '431: the headers are too large; send fewer.',
  internal_error: '500: something went wrong on our side.',
  upload_incomplete:
    '503: the body ended too early; get the offset with HEAD (of a creation: at its `Location`), and continue there.',
  unavailable: '503: a part of the service does not answer or is overloaded; wait for `Retry-After`.',
  request_malformed: 'Any other 4xx: the request is not valid HTTP, or cannot be understood.',
} as const;

export type ErrorReason = keyof typeof ERROR_CODES;

export const isErrorReason = (word: string | undefined): word is ErrorReason =>
  word !== undefined && Object.hasOwn(ERROR_CODES, word);
