// This module has the audio files, buffers and conversion of AVFoundation, and CoreMedia. It has no playback, capture
// or films.
@_exported import AVFAudio
@_exported import CoreMedia
