import { type Manifest, podOf } from '../manifests.ts';
import { type Finding, fault, inWords, type Part } from './finding.ts';

const containersOf = (object: Manifest): Part[] => {
  const { initContainers = [], containers = [] } = podOf(object)?.spec ?? {};
  return [...initContainers, ...containers];
};

/** Returns a fault for each container without an image: kustomize adds a container whose name a patch misspells. */
export const imagelessContainers = (all: Manifest[]): Finding[] =>
  all.flatMap(object =>
    containersOf(object)
      .filter(({ image }) => !image)
      .map(({ name }) =>
        fault(
          `${inWords(object)} has a container ${name} without an image: a patch names a container that does not exist.`,
        ),
      ),
  );

/** Returns the objects without these containers, about which every other rule would only repeat the fault. */
export const withImages = (all: Manifest[]): Manifest[] =>
  all.map(object => {
    if (containersOf(object).every(({ image }) => image)) return object;
    const copy = structuredClone(object);
    const { spec } = podOf(copy)!;
    for (const list of ['initContainers', 'containers'])
      if (spec[list]) spec[list] = spec[list].filter(({ image }: Part) => image);
    return copy;
  });
