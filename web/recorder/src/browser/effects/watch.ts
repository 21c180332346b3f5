import type { Reading } from '../state/state.ts';

// Checks picture and sound while the camera is on, so that the contributor notices a silent or black recording before
// Send.

export interface Watch {
  read(): Reading;
  /** Forgets earlier sound and picture. */
  reset(): void;
  stop(): void;
}

// About -52 dBFS: much louder than a muted microphone, and quieter than the quietest speech.
const HEARD = 0.0025;
// The least mean brightness (0 to 255) of a picture with visible content.
const SEEN = 7;
const LOOK_MS = 150;

export function watchStream(stream: MediaStream, video: HTMLVideoElement): Watch {
  const audio = new AudioContext();
  const analyser = audio.createAnalyser();
  analyser.fftSize = 2048;
  audio.createMediaStreamSource(stream).connect(analyser);
  void audio.resume();
  const samples = new Float32Array(analyser.fftSize);
  const canvas = document.createElement('canvas');
  canvas.width = 16;
  canvas.height = 12;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  let level = 0;
  let heard = false;
  let seen = false;
  let since = performance.now();

  function look(): void {
    analyser.getFloatTimeDomainData(samples);
    const power = Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
    heard ||= power > HEARD;
    // 0 at -60 dB, 1 at -6 dB.
    level = Math.max(0, Math.min(1, (20 * Math.log10(power + 1e-9) + 60) / 54));
    if (!seen && context && video.videoWidth > 0) {
      context.drawImage(video, 0, 0, canvas.width, canvas.height);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      let sum = 0;
      for (let at = 0; at < data.length; at += 4) sum += Math.max(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
      seen = sum / (data.length / 4) > SEEN;
    }
  }

  const timer = window.setInterval(look, LOOK_MS);
  return {
    read: () => ({ level, heard, seen, watchedMs: performance.now() - since }),
    reset() {
      heard = false;
      seen = false;
      since = performance.now();
    },
    stop() {
      window.clearInterval(timer);
      void audio.close();
    },
  };
}
