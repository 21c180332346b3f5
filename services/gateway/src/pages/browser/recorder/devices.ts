import { type Choice, devicesOf } from './camera.ts';
import { byId } from './page.ts';

/** Fills the two lists with what there is, the ones in use chosen, and shows the switch where there are two cameras. */
export async function listDevices(stream: MediaStream): Promise<void> {
  const cameras = await devicesOf('videoinput');
  fillList('camera', cameras, stream.getVideoTracks()[0]);
  fillList('microphone', await devicesOf('audioinput'), stream.getAudioTracks()[0]);
  byId('flip').hidden = !(cameras.length > 1 && matchMedia('(pointer: coarse)').matches);
}

function fillList(id: string, devices: MediaDeviceInfo[], used: MediaStreamTrack | undefined): void {
  const inUse = used?.getSettings().deviceId;
  byId<HTMLSelectElement>(id).replaceChildren(
    ...devices.map((device, at) => {
      const option = document.createElement('option');
      option.value = device.deviceId;
      option.textContent = device.label || String(at + 1);
      option.selected = device.deviceId === inUse;
      return option;
    }),
  );
}

/** Calls back with another choice of devices. */
export function onChoice(choice: Choice, chosen: () => void): void {
  for (const id of ['camera', 'microphone'] as const) {
    byId<HTMLSelectElement>(id).addEventListener('change', event => {
      choice[id] = (event.target as HTMLSelectElement).value;
      chosen();
    });
  }
  byId('flip').addEventListener('click', () => {
    delete choice.camera;
    choice.facing = choice.facing === 'user' ? 'environment' : 'user';
    chosen();
  });
}
