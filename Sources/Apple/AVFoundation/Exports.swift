// This module has the audio files, buffers and conversion of AVFoundation, CoreMedia, and the pictures of films. It has
// no playback and no capture.
@_exported import AVFAudio
@_exported import CoreGraphics
@_exported import CoreMedia
