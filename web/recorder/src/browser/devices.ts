import { type Choice, devicesOf } from './camera.ts';
import { inHand } from './elsewhere.ts';
import { byId } from './page.ts';

/** Fills the two lists with what there is, the ones in use chosen, and shows the switch where there are two cameras. */
export async function listDevices(stream: MediaStream): Promise<void> {
  const cameras = await devicesOf('videoinput');
  fillList('camera', cameras, stream.getVideoTracks()[0]);
  fillList('microphone', await devicesOf('audioinput'), stream.getAudioTracks()[0]);
  byId('flip').hidden = !(cameras.length > 1 && inHand());
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

/** Calls back once the choice is another one, with the one before. `used` is the camera that is on. */
export function onChoice(
  choice: Choice,
  used: () => MediaStreamTrack | undefined,
  chosen: (before: Choice) => void,
): void {
  for (const id of ['camera', 'microphone'] as const) {
    byId<HTMLSelectElement>(id).addEventListener('change', event => {
      const before = { ...choice };
      choice[id] = (event.target as HTMLSelectElement).value;
      chosen(before);
    });
  }
  byId('flip').addEventListener('click', () => {
    const before = { ...choice };
    turnAround(choice, used()?.getSettings());
    chosen(before);
  });
}

/** The other side; where the cameras do not say which side they look to, the next one. */
function turnAround(choice: Choice, used: MediaTrackSettings | undefined): void {
  delete choice.camera;
  if (used?.facingMode) {
    choice.facing = used.facingMode === 'environment' ? 'user' : 'environment';
    return;
  }
  const ids = Array.from(byId<HTMLSelectElement>('camera').options, ({ value }) => value);
  choice.camera = ids[(ids.indexOf(used?.deviceId ?? '') + 1) % ids.length];
}
