import type { Inspection } from './inspection.ts';

// The size in which players show the picture: upright, with square pixels, at most 640 wide.
const WIDTH = 'max(1,trunc(min(640,iw*sar)))';
const HEIGHT = 'min(4096,max(2,2*round(ow/dar/2)))';
// The colours of a JPEG.
const JPEG = 'out_color_matrix=bt601:out_range=pc';
/** Players treat video of this size or larger without a colour tag as BT.709. */
const HD_SIDE = 720;

/** The names that ffmpeg's scaler uses, by the names that ffprobe uses. */
const MATRICES: Record<string, string> = {
  bt709: 'bt709',
  fcc: 'fcc',
  bt470bg: 'bt470',
  smpte170m: 'smpte170m',
  smpte240m: 'smpte240m',
  bt2020nc: 'bt2020',
  bt2020c: 'bt2020',
};

const VALUE = 'clip(val/maxval,0,1)';
/**
 * The brightness of a pixel as a function of its signal, by transfer function. 1 is the white of an SDR picture: 203
 * cd/m² (ITU-R BT.2408).
 */
const LIGHT: Record<string, string> = {
  'arib-std-b67': `if(lte(${VALUE},0.5),pow(${VALUE},2)/3,(exp((${VALUE}-0.55991073)/0.17883277)+0.28466892)/12)/0.265`,
  smpte2084: `10000/203*pow(max(pow(${VALUE},1/78.84375)-0.8359375,0)/(18.8515625-18.6875*pow(${VALUE},1/78.84375)),1/0.1593017578125)`,
};
/** Keeps brightness up to 0.9 unchanged; compresses all brighter values into 0.9 to 1. */
const toned = (light: string) => `st(0,${light});maxval*if(lte(ld(0),0.9),ld(0),1-0.1*exp(-(ld(0)-0.9)/0.1))`;
const SRGB = `st(0,${VALUE});maxval*if(lte(ld(0),0.0031308),12.92*ld(0),1.055*pow(ld(0),1/2.4)-0.055)`;
/** Converts light from the primaries of BT.2020 to the primaries of BT.709. */
const PRIMARIES = 'rr=1.6605:rg=-0.5876:rb=-0.0728:gr=-0.1246:gg=1.1329:gb=-0.0083:br=-0.0182:bg=-0.1006:bb=1.1187';

/** Returns the filters of a thumbnail. They produce the pixel shape, colours and brightness that a player shows. */
export function thumbnailFilter({ tracks, width, height }: Pick<Inspection, 'tracks' | 'width' | 'height'>): string {
  const looks = tracks.find(({ kind }) => kind === 'video')?.looks ?? [];
  const said = (name: string) => looks.find(look => look.startsWith(`${name} `))?.slice(name.length + 1);
  const light = LIGHT[said('color_transfer') ?? ''];
  const untagged = light ? 'bt2020' : Math.min(width, height) >= HD_SIDE ? 'bt709' : 'bt601';
  const space = said('color_space');
  const matrix = space === undefined ? untagged : MATRICES[space];
  // Some decoders do not copy the container's tags to the pictures.
  const colours = `${matrix ? `:in_color_matrix=${matrix}` : ''}${said('color_range') === 'pc' ? ':in_range=pc' : ''}`;
  const scaled = `scale=w='${WIDTH}':h='${HEIGHT}':flags=bicubic+accurate_rnd${colours}`;
  if (!light) return `${scaled}:${JPEG},format=yuvj420p,setsar=1`;
  const each = (expression: string) => `lutrgb=r='${expression}':g='${expression}':b='${expression}'`;
  const sdr = ['format=gbrp12', each(toned(light)), `colorchannelmixer=${PRIMARIES}`, each(SRGB)].join(',');
  return `${scaled},${sdr},scale=${JPEG},format=yuvj420p,setsar=1`;
}
