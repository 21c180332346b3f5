/** What a case may bring about beside what it must not. All false unless the case says otherwise. */
export interface Expectations {
  /** Media of a clip may end as failed: then the upload is served as it came. */
  mediaMayFail: boolean;
  /** A transcript may end as failed. */
  transcriptMayFail: boolean;
  /** Records that are no events were sent, and are kept in `parked`. */
  parked: boolean;
  /** Holds are so short that they end before the check: no claimed use and no unfinished upload may be left. */
  holdsEnd: boolean;
}

export const NOTHING_EXPECTED: Expectations = {
  mediaMayFail: false,
  transcriptMayFail: false,
  parked: false,
  holdsEnd: false,
};
