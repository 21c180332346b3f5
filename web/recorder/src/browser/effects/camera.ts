import type { CameraProblem } from '../state/events.ts';
import type { Choice, Device, Devices } from '../state/state.ts';
import { withStillPicture } from './still-picture.ts';

// The available cameras and microphones, and the stream of the chosen ones.

export interface Camera {
  stream: MediaStream;
  /** True when the camera faces the user, who expects a mirror image. */
  mirrored: boolean;
}

const VIDEO = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30, max: 30 } };
const AUDIO = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };

/** Returns whether this browser can show and record a camera. */
export const canRecord = (): boolean =>
  typeof MediaRecorder === 'function' && typeof navigator.mediaDevices?.getUserMedia === 'function';

/** Opens the camera and microphone. Rejects with a CameraProblem. */
export async function openCamera(choice: Choice): Promise<Camera> {
  const video = choice.camera ? { deviceId: { exact: choice.camera } } : { facingMode: choice.facing };
  const audio = choice.microphone ? { deviceId: { exact: choice.microphone } } : {};
  try {
    if (choice.audio) {
      const sound = await navigator.mediaDevices.getUserMedia({ audio: { ...AUDIO, ...audio } });
      return { stream: withStillPicture(sound), mirrored: false };
    }
    const stream = await navigator.mediaDevices.getUserMedia({
      video: { ...VIDEO, ...video },
      audio: { ...AUDIO, ...audio },
    });
    const facing = stream.getVideoTracks()[0]?.getSettings().facingMode;
    return { stream, mirrored: facing !== 'environment' };
  } catch (error) {
    throw problemOf(error);
  }
}

function problemOf(error: unknown): CameraProblem {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied';
  return name === 'NotReadableError' || name === 'AbortError' ? 'cameraBusy' : 'noCamera';
}

export const closeCamera = (camera: Camera | undefined): void => {
  for (const track of camera?.stream.getTracks() ?? []) {
    track.onended = null;
    track.stop();
  }
};

/** Returns the devices of the stream and the alternatives. Devices have names once the user has allowed the camera. */
export async function devicesOf(stream: MediaStream): Promise<Devices> {
  const video = stream.getVideoTracks()[0]?.getSettings();
  const all = await navigator.mediaDevices.enumerateDevices().catch(() => []);
  const of = (kind: MediaDeviceKind): Device[] =>
    all
      .filter(device => device.kind === kind && device.deviceId)
      .map(({ deviceId, label }) => ({ id: deviceId, label }));
  return {
    cameras: of('videoinput'),
    microphones: of('audioinput'),
    camera: video?.deviceId,
    facing: video?.facingMode,
    microphone: stream.getAudioTracks()[0]?.getSettings().deviceId,
  };
}
