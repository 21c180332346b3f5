import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';
import type { Package } from './contents.ts';

/**
 * Returns the contents of an image as CycloneDX 1.6 JSON: one component per package, identified by its package URL. The
 * same packages produce the same text.
 */
export function sbomOf(image: { name: string; digest: string; packages: Package[] }): string {
  const bom = new Models.Bom();
  bom.metadata.component = new Models.Component(Enums.ComponentType.Container, image.name, {
    version: image.digest,
    bomRef: image.name,
  });
  for (const each of image.packages) bom.components.add(componentOf(each));
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 1 })}\n`;
}

function componentOf({ from, name, version, license, source, architecture }: Package) {
  const type = from === 'npm' || from === 'go' ? Enums.ComponentType.Library : Enums.ComponentType.Application;
  const [scope, plain] = name.startsWith('@') ? (name.split('/') as [string, string]) : [undefined, name];
  const purl =
    from === 'npm'
      ? new PackageURL('npm', scope, plain, version)
      : from === 'go'
        ? new PackageURL('golang', name.replace(/\/?[^/]+$/, '') || undefined, name.split('/').at(-1)!, version)
        : from === 'debian'
          ? new PackageURL('deb', 'debian', name, version, { arch: architecture!, ...(source && { upstream: source }) })
          : new PackageURL('generic', undefined, name, version);
  const component = new Models.Component(type, plain, {
    version,
    ...(scope && { group: scope }),
    purl: purl.toString(),
    bomRef: purl.toString(),
  });
  if (license)
    component.licenses.add(
      SPDX.isSupportedSpdxId(license) ? new Models.SpdxLicense(license) : new Models.NamedLicense(license),
    );
  return component;
}
