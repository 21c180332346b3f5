import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { print, progress, runCommand } from '@recording-request/harness/command';
import { FLAG, parseFlags, TEXT } from '@recording-request/harness/options';
import { openScratch } from '@recording-request/harness/scratch';
import { openBuilder } from './images/builder.ts';
import { type Package, packagesIn, unwantedIn } from './images/contents.ts';
import { type Stored, storedForm } from './images/layers.ts';
import { buildCheck, buildProduct, builtImage, IMAGES, NAMES } from './images/product.ts';
import { sbomOf } from './images/sbom.ts';
import { placeIn } from './lab/place.ts';

const HELP = `npm run images [-- options]

Builds the images of deploy/Dockerfile like npm run k8s, without a container engine or a registry, and prints the size and the
number of packages of each. Needs root, and Go for the image that checks overlays. The first build takes up to an hour, as it
compiles ffmpeg, Helm and other programs. Fails if an image has a package manager, or has ffmpeg without a service that uses it.

  --sbom DIR   also writes the contents of each, as CycloneDX 1.6: DIR/recording-request.cdx.json, -workers.cdx.json and
               -check.cdx.json
  --json       prints the report as JSON; progress goes to standard error
  --help       prints this text
`;

interface Report extends Stored {
  image: string;
  compressedBytes: number;
  bytes: number;
  packages: Record<Package['from'], number>;
}

const parse = (args: string[]) => parseFlags(args, { json: FLAG, sbom: TEXT });

async function main({ json, sbom }: ReturnType<typeof parse>, signal: AbortSignal): Promise<void> {
  const context = { env: process.env, log: progress, signal };
  await using scratch = await openScratch('images');
  const dir = scratch.path;
  const builder = await openBuilder(placeIn(dir, process.env), context);
  await buildProduct(builder, context);
  await buildCheck(builder, context);
  if (sbom) await mkdir(sbom, { recursive: true });
  const reports: Report[] = [];
  for (const target of IMAGES) {
    const image = NAMES[target];
    const stored = await storedForm(builder, builtImage(target), dir);
    const packages = await packagesIn(builder, builtImage(target));
    const unwanted = await unwantedIn(builder, target);
    if (unwanted.length > 0) throw new Error(`${image} has unwanted programs: ${unwanted.join(', ')}`);
    const text = sbomOf({ name: image, digest: stored.digest, packages });
    if (sbom) await writeFile(join(sbom, `${image}.cdx.json`), text);
    const count = (from: Package['from']) => packages.filter(each => each.from === from).length;
    const sum = (field: 'compressedBytes' | 'bytes') => stored.layers.reduce((total, each) => total + each[field], 0);
    reports.push({
      image,
      ...stored,
      ...{ compressedBytes: sum('compressedBytes'), bytes: sum('bytes') },
      packages: { node: count('node'), debian: count('debian'), npm: count('npm'), go: count('go') },
    });
  }
  print(json ? JSON.stringify(reports, undefined, 2) : reports.map(linesOf).join('\n'));
}

const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function linesOf({ image, digest, compressedBytes, bytes, layers, packages }: Report): string {
  const rows = [
    ['to pull', 'unpacked', ''],
    [
      mb(compressedBytes),
      mb(bytes),
      `${image}: ${packages.debian} Debian packages, ${packages.npm} npm packages, ${packages.go ? `${packages.go} Go modules, ` : ''}Node`,
    ],
    ...layers.map(layer => [mb(layer.compressedBytes), mb(layer.bytes), `layer ${layer.digest.slice(0, 19)}`]),
    ['', '', `built here as ${digest}`],
  ];
  return rows.map(([pull, whole, what]) => `${pull!.padStart(10)}${whole!.padStart(11)}   ${what}\n`).join('');
}

await runCommand({ help: HELP, parse, run: main });
