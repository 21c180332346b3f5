// A recording of the sound alone is an ordinary video with a still picture, so that every submission has a video.

const WIDTH = 640;
const HEIGHT = 360;
// A canvas gives its stream a frame only when something is drawn. Browsers slow timers of a hidden page to one second.
const REDRAW_MS = 1_000;
// The capsule, the bow and the foot of a microphone, in the middle of the picture.
const MICROPHONE =
  'M320 110a28 28 0 0 1 28 28v44a28 28 0 0 1-56 0v-44a28 28 0 0 1 28-28zM264 176a56 56 0 0 0 112 0M320 232v26M290 258h60';

function draw(context: CanvasRenderingContext2D): void {
  context.fillStyle = '#0e0f11';
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.strokeStyle = '#f3f2ef';
  context.lineWidth = 10;
  context.lineCap = 'round';
  context.stroke(new Path2D(MICROPHONE));
}

/** Returns a stream of the sound and a still picture. It ends with the sound. */
export function withStillPicture(sound: MediaStream): MediaStream {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  // Without an alpha channel, every encoder takes the picture.
  const context = canvas.getContext('2d', { alpha: false });
  const tracks = sound.getAudioTracks();
  if (context) draw(context);
  const picture = canvas.captureStream();
  const timer = window.setInterval(() => {
    if (picture.getVideoTracks().every(track => track.readyState === 'ended')) window.clearInterval(timer);
    else if (context) draw(context);
  }, REDRAW_MS);
  return new MediaStream([...picture.getVideoTracks(), ...tracks]);
}
