/** What the page passes to the recorder's script, as JSON in the page itself. */
export interface RecorderSettings {
  /** The state of the link; also `active` where any device may continue its one response. */
  status: 'active' | 'disabled' | 'exhausted' | 'expired';
  /** The link takes more than one response. */
  shared: boolean;
  maxDurationSec: number;
  questions: string[];
  /** Positions of the questions whose answers have landed, from any device; outside interviews empty. */
  answered: number[];
  noteEnabled: boolean;
  requireTerms: boolean;
  /** null where no dialog is to be shown; "" for the page's own wording. */
  successDialog: string | null;
  lang: string;
  texts: Record<string, string>;
}
