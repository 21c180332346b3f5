#!/bin/sh
# Compiles ffmpeg and ffprobe in the working directory, which has Debian's source of ffmpeg, and copies them to the folder $1.
# docs/decisions/0052-two-images.md lists their parts, with the reasons. Needs gcc, make, nasm, pkg-config and the headers of
# libdav1d and zlib.
set -eu
to=$1
./configure --prefix=/usr --disable-autodetect --disable-debug --disable-doc --disable-ffplay --disable-network --disable-avdevice \
  --disable-postproc --disable-hwaccels --enable-zlib --enable-libdav1d \
  --disable-encoders --enable-encoder=aac,mjpeg,pcm_s16le \
  --disable-muxers --enable-muxer=ipod,matroska,mjpeg,mov,mp4,pcm_s16le,webm \
  --disable-demuxers --enable-demuxer=matroska,mov \
  --disable-protocols --enable-protocol=file,pipe \
  --disable-filters --enable-filter=aresample,colorchannelmixer,highpass,lowpass,lutrgb,pan,rotate,scale,setsar
make -j"$(nproc)" ffmpeg ffprobe
mkdir -p "$to"
cp ffmpeg ffprobe "$to"
