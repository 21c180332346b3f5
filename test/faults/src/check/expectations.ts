/** Outcomes that a case allows. The checker reports them in all other cases. */
export interface Expectations {
  /** A clip's media may fail; the API then serves the uploaded bytes. */
  mediaMayFail: boolean;
  /** A transcript may fail. */
  transcriptMayFail: boolean;
  /** Bad records may be in the dead-letter topic. */
  deadLetters: boolean;
  /** Holds end before the check, so no claimed use and no unfinished upload may remain afterwards. */
  holdsEnd: boolean;
}

export const NOTHING_EXPECTED: Expectations = {
  mediaMayFail: false,
  transcriptMayFail: false,
  deadLetters: false,
  holdsEnd: false,
};
