import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from '@recording-request/fixtures/run';

/** A cell as the spreadsheet stores it. */
export interface Cell {
  /** The formula, if the spreadsheet read the text as a formula. */
  formula: string | null;
  /** `string`, `float`, `boolean`, …; null where the cell is empty. */
  type: string | null;
  /** The displayed text; its lines end with LF. */
  text: string;
}

// The import options in order: comma, quotes, UTF-8, from line 1, default columns and language, quoted fields not
// forced to text, special numbers detected, …, formulas evaluated (newer releases ask the user). So every option that
// turns text into a formula is on.
const OPEN_AS = 'Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,0,true';

const READ_FODS = `
import json, sys
from xml.etree import ElementTree
T = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
X = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
O = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"

def text_of(node):
    text = node.text or ""
    for child in node:
        if child.tag == X + "s":
            text += " " * int(child.get(X + "c", "1"))
        elif child.tag == X + "tab":
            text += "\\t"
        elif child.tag == X + "line-break":
            text += "\\n"
        else:
            text += text_of(child)
        text += child.tail or ""
    return text

rows = []
for row in ElementTree.parse(sys.argv[1]).getroot().iter(T + "table-row"):
    cells = []
    for cell in row:
        one = {"formula": cell.get(T + "formula"), "type": cell.get(O + "value-type"),
               "text": "\\n".join(text_of(line) for line in cell.findall(X + "p"))}
        cells += [one] * min(int(cell.get(T + "number-columns-repeated", "1")), 100)
    if any(cell["type"] or cell["formula"] for cell in cells):
        rows.append(cells)
json.dump(rows, sys.stdout)
`;

/**
 * Opens a CSV file in headless LibreOffice and returns its rows. Writes files into the same folder; needs `soffice` and
 * `python3`.
 */
export async function openInSpreadsheet(csv: string): Promise<Cell[][]> {
  const dir = dirname(csv);
  // Uses a separate profile, because LibreOffice passes the work to a running window with the same profile.
  const profile = `-env:UserInstallation=${pathToFileURL(join(dir, 'profile')).href}`;
  const convert = ['--convert-to', 'fods', '--outdir', dir, csv];
  await run('soffice', [profile, '--headless', '--norestore', `--infilter=${OPEN_AS}`, ...convert]);
  return JSON.parse(await run('python3', ['-c', READ_FODS, csv.replace(/\.csv$/, '.fods')]));
}
