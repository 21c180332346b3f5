/** Returns the files of an uncompressed ZIP archive. Throws when the archive is incomplete. */
export function filesOf(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('the archive has no end');
  const count = zip.readUInt16LE(end + 10);
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error(`the archive's directory ends at entry ${index}`);
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 24)];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map(field => zip.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    if (method !== 0) throw new Error(`${name} is compressed`);
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    if (begin + size > zip.length) throw new Error(`${name} is cut off`);
    files.set(name, zip.subarray(begin, begin + size));
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}

/** The clips in each part of a project's archive: in its JSON, its table and its videos. */
export interface Shown {
  json: Set<string>;
  table: Set<string>;
  videos: Set<string>;
  /** All other files. */
  others: string[];
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** Returns the clips in an archive. Throws when the archive is incomplete or lacks a file. */
export function shownIn(zip: Buffer): Shown {
  const files = filesOf(zip);
  const file = (name: string): string => {
    const content = files.get(name);
    if (!content) throw new Error(`the archive has no ${name}`);
    return content.toString('utf8');
  };
  const bundle = JSON.parse(file('project.json')) as { submissions: { submissionId: string }[] };
  const rows = file('submissions.csv').split('\r\n').slice(1);
  file('transcripts.txt');
  const names = [...files.keys()];
  const idIn = (text: string) => ID.exec(text)?.[0];
  const ids = (texts: string[]) => new Set(texts.map(idIn).filter(id => id !== undefined));
  return {
    json: new Set(bundle.submissions.map(({ submissionId }) => submissionId)),
    table: ids(rows),
    videos: ids(names.filter(name => name.startsWith('videos/'))),
    others: names.filter(
      name => !name.startsWith('videos/') && !/^(project\.json|submissions\.csv|transcripts\.txt)$/.test(name),
    ),
  };
}
