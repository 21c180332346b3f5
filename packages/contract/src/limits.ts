/**
 * The bounds and defaults of the public contract; schemas, services and pages use these. Lengths are in Unicode code points,
 * as in JSON Schema. This file imports nothing, so that a page's script can include it.
 */
export const LIMITS = {
  /** The maximum number of reminder times of each kind. */
  reminders: 5,
  remindAfterDays: 365,
  remindBeforeHours: 2_160,
  projectNameLength: 200,
  count: 10_000,
  /** The maximum number of unique links in a project. */
  projectLinks: 100_000,
  expiresInDays: 3_650,
  expiresInHours: 87_600,
  sharedLinkMaxUses: 1_000_000,
  maxDurationSec: 600,
  /** The largest factor by which a contributor gets more time than `maxDurationSec`. */
  timeFactor: 3,
  /**
   * Sandboxes do not count against an allowance, so their clips must be short. The next two values limit the numbers of
   * sandboxes and of their clips.
   */
  sandboxDurationSec: 15,
  /** The maximum number of sandboxes that an owner may create within one sandbox lifetime. */
  sandboxes: 10,
  /** The maximum number of clips of a sandbox: its responses, times the questions of an interview. */
  sandboxClips: 1_000,
  /** The longest retention of a project's clips in days, unless the operator's retention is shorter. */
  retentionDays: 36_500,
  urlLength: 2_048,
  webhookSecretLength: 512,
  termsLabelLength: 200,
  termsTextLength: 20_000,
  successMessageLength: 2_000,
  scriptLength: 20_000,
  brandNameLength: 60,
  /** A logo in bytes, and its longer side in pixels. */
  logoBytes: 65_536,
  logoPixels: 4_096,
  interviewQuestions: 50,
  questionLength: 500,
  reviewNoteLength: 5_000,
  noteLength: 2_000,
  /** The highest rating; the lowest is 1. */
  rating: 5,
  /** The maximum number of timed notes of an owner on a clip. */
  timedNotes: 100,
  /** The latest time of a note, in seconds. */
  noteAtSec: 86_400,
  searchLength: 200,
  /** The maximum number of words in a search. Further words are ignored. */
  searchWords: 8,
  linkPageSize: 500,
  /** The maximum number of links of one action. */
  linkActions: 500,
  recipientTextLength: 200,
  emailLength: 320,
  localeLength: 100,
  metadataKeys: 20,
  metadataKeyLength: 40,
  metadataValueLength: 500,
  idempotencyKeyLength: 255,
  pageSize: 100,
  eventsPageSize: 200,
  /** How long a request may wait for an event, in seconds. */
  eventsWaitSec: 25,
  /** The maximum number of clips with a transcript in one transcripts.zip. */
  transcriptsZipClips: 10_000,
} as const;

/**
 * The maximum number of exports that a process handles at once. The limit is the same for a gateway, which reads
 * exports, and for a replica of submissions, which makes them.
 */
export const EXPORTS_AT_ONCE = 40;

/** The values for fields that a request omits; project-settings.ts has the defaults of the settings. */
export const DEFAULTS = {
  expiresInDays: 30,
  pageSize: 50,
  eventsPageSize: 100,
  linkPageSize: 100,
} as const;
