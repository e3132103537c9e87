// Of AVFoundation, the audio part and CoreMedia: files, buffers and conversion. There is no playback, capture or film.
@_exported import AVFAudio
@_exported import CoreMedia
