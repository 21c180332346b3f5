import type { AnswerModeName } from '@recording-request/contract/resources/fields';

/** The settings of the recorder's script, as JSON in the page. */
export interface RecorderSettings {
  /** The link's state. It is also `active` when any device may continue the link's one response. */
  status: 'active' | 'disabled' | 'exhausted' | 'expired' | 'closed';
  /** True when the link takes more than one response. */
  shared: boolean;
  maxDurationSec: number;
  /** The ways to answer that the project allows. */
  modes: readonly AnswerModeName[];
  /** True if the owner has a text to read while recording. */
  hasScript: boolean;
  questionCount: number;
  /** The question that comes next; "" if it is on one of the page's cards, and outside interviews. */
  nextQuestion: string;
  /** The reference that the address of a shared link states; "" without a valid one, or where the project keeps none. */
  reference: string;
  /** The positions of the questions with landed answers from any device; empty outside interviews. */
  answered: number[];
  noteEnabled: boolean;
  requireTerms: boolean;
  /** null means no dialog; "" means the page's own text. */
  successDialog: string | null;
  lang: string;
  texts: Record<string, string>;
}
