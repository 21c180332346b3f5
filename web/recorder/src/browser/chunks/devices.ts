import type { Device, Devices } from '../state/state.ts';
import type { Elements } from '../view/elements.ts';

/** Fills the lists of cameras and microphones. */
export function fillLists({ camera, microphone }: Pick<Elements, 'camera' | 'microphone'>, devices: Devices): void {
  // A recording of the sound alone has no camera.
  if (camera.parentElement) camera.parentElement.hidden = devices.cameras.length === 0;
  fillList(camera, devices.cameras, devices.camera);
  fillList(microphone, devices.microphones, devices.microphone);
}

function fillList(list: HTMLSelectElement, devices: readonly Device[], used: string | undefined): void {
  list.replaceChildren(
    ...devices.map(({ id, label }, at) => {
      const option = document.createElement('option');
      option.value = id;
      option.textContent = label || String(at + 1);
      option.selected = id === used;
      return option;
    }),
  );
}
