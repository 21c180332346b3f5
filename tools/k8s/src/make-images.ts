import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCommandLine } from '@recording-request/kit/command-line';
import { reportFailure } from '@recording-request/stack/report-failure';
import { openBuilder } from './images/builder.ts';
import { type Package, packagesIn, unwantedIn } from './images/contents.ts';
import { type Stored, storedForm } from './images/layers.ts';
import { buildProduct, builtImage, NAMES, TARGETS } from './images/product.ts';
import { sbomOf } from './images/sbom.ts';
import { placeIn } from './lab/place.ts';

const HELP = `npm run images [-- options]

Builds both images of deploy/Dockerfile as npm run k8s does, without a container engine and a registry, and prints the size and the
number of packages of each. Needs root. The first time it takes some minutes, as ffmpeg is compiled. Fails where one has a package
manager, or ffmpeg although nothing in it starts it.

  --sbom DIR   also writes what is in each, as CycloneDX 1.6: DIR/recording-request.cdx.json and -workers.cdx.json
  --json       prints the same for programs; progress goes to standard error
  --help       this text
`;

interface Report extends Stored {
  image: string;
  compressedBytes: number;
  bytes: number;
  packages: Record<Package['from'], number>;
}

async function main({ json, sbom }: { json: boolean; sbom?: string }): Promise<void> {
  const log = (line: string) => console.error(line);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => stop.abort(new Error(`ended by ${name}`)));
  const context = { env: process.env, log, signal: stop.signal };
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-images-'));
  try {
    const builder = await openBuilder(placeIn(dir, process.env), context);
    await buildProduct(builder, context);
    if (sbom) await mkdir(sbom, { recursive: true });
    const reports: Report[] = [];
    for (const target of TARGETS) {
      const image = NAMES[target];
      const stored = await storedForm(builder, builtImage(target), dir);
      const packages = await packagesIn(builder, builtImage(target));
      const unwanted = await unwantedIn(builder, target);
      if (unwanted.length > 0) throw new Error(`${image} has what it is not to have: ${unwanted.join(', ')}`);
      const text = sbomOf({ name: image, digest: stored.digest, packages });
      if (sbom) await writeFile(join(sbom, `${image}.cdx.json`), text);
      const count = (from: Package['from']) => packages.filter(each => each.from === from).length;
      const sum = (field: 'compressedBytes' | 'bytes') => stored.layers.reduce((total, each) => total + each[field], 0);
      reports.push({
        image,
        ...stored,
        ...{ compressedBytes: sum('compressedBytes'), bytes: sum('bytes') },
        packages: { node: count('node'), debian: count('debian'), npm: count('npm') },
      });
    }
    process.stdout.write(json ? `${JSON.stringify(reports, undefined, 2)}\n` : `${reports.map(linesOf).join('\n')}\n`);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function linesOf({ image, digest, compressedBytes, bytes, layers, packages }: Report): string {
  const rows = [
    ['to pull', 'unpacked', ''],
    [mb(compressedBytes), mb(bytes), `${image}: ${packages.debian} packages of Debian, ${packages.npm} of npm, Node`],
    ...layers.map(layer => [mb(layer.compressedBytes), mb(layer.bytes), `layer ${layer.digest.slice(0, 19)}`]),
    ['', '', `built here as ${digest}`],
  ];
  return rows.map(([pull, whole, what]) => `${pull!.padStart(10)}${whole!.padStart(11)}   ${what}\n`).join('');
}

try {
  const options = {
    json: { type: 'boolean', default: false },
    sbom: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  const { help, ...values } = parseCommandLine({ options }).values;
  if (help) process.stdout.write(HELP);
  else await main(values);
} catch (error) {
  reportFailure(error);
}
