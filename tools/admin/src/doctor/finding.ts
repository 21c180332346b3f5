/** ok: works · wrong: an operator must change something · note: worth knowing, but nothing fails. */
export type State = 'ok' | 'wrong' | 'note';

/** One line of a check, without the server's name. It contains no secret. */
export type Line = readonly [state: State, text: string];

/** A line of the report. */
export interface Finding {
  /** The server, or `settings`. */
  about: string;
  state: State;
  text: string;
}

export const ok = (text: string): Line => ['ok', text];
export const wrong = (text: string): Line => ['wrong', text];
export const note = (text: string): Line => ['note', text];

const SKEW_MS = 60_000;

/** Returns a line if a server's clock differs from this machine's; none if it does not differ, or without a time. */
export function clockLines(server: string, time: Date | string | null | undefined): Line[] {
  const aheadMs = Date.now() - new Date(time ?? Number.NaN).getTime();
  if (!(Math.abs(aheadMs) > SKEW_MS)) return [];
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const which = aheadMs > 0 ? 'ahead of' : 'behind';
  return [wrong(`the clock of this machine is ${seconds} s ${which} the clock of ${server}: synchronize both (NTP)`)];
}
