/** What the page passes to the recorder's script, as JSON in the page itself. */
export interface RecorderSettings {
  /** Of the link: whether it takes new responses. */
  status: 'active' | 'disabled' | 'exhausted' | 'expired';
  /** The link takes more than one response. */
  shared: boolean;
  maxDurationSec: number;
  questions: string[];
  noteEnabled: boolean;
  requireTerms: boolean;
  /** null where no dialog is to be shown; "" for the page's own wording. */
  successDialog: string | null;
  lang: string;
  texts: Record<string, string>;
}
