import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Package } from './images/contents.ts';
import { sbomOf } from './images/sbom.ts';

const packages: Package[] = [
  { from: 'node', name: 'node', version: '26.10.0', license: 'MIT' },
  { from: 'debian', name: 'libc6', version: '2.36-9+deb12u13', source: 'glibc', architecture: 'amd64' },
  { from: 'npm', name: '@grpc/grpc-js', version: '1.14.7', license: 'Apache-2.0' },
  { from: 'go', name: 'helm.sh/helm/v3', version: 'v3.22.0' },
  { from: 'go', name: 'stdlib', version: '1.26.8' },
];
const image = { name: 'recording-request', digest: `sha256:${'0'.repeat(64)}`, packages };

test('names the image by its digest, and each package as scanners expect', () => {
  const bom = JSON.parse(sbomOf(image));
  assert.partialDeepStrictEqual(bom, {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { type: 'container', name: 'recording-request', version: image.digest } },
  });
  const named = bom.components.map(({ purl }: { purl: string }) => purl).sort();
  assert.deepEqual(
    named,
    [
      'pkg:deb/debian/libc6@2.36-9+deb12u13?arch=amd64&upstream=glibc',
      'pkg:generic/node@26.10.0',
      'pkg:npm/%40grpc/grpc-js@1.14.7',
      'pkg:golang/helm.sh/helm/v3@v3.22.0',
      'pkg:golang/stdlib@1.26.8',
    ].sort(),
  );
  const [grpc] = bom.components.filter(({ group }: { group?: string }) => group === '@grpc');
  assert.deepEqual(grpc.licenses, [{ license: { id: 'Apache-2.0' } }]);
});

test('returns the same text for the same packages', () => {
  assert.equal(sbomOf(image), sbomOf({ ...image, packages: [...packages].reverse() }));
});
