import CoreVideo
import FFmpeg
import Foundation
import Imaging

/// The pixel format of frames: CoreVideo's and ffmpeg's.
struct FrameFormat {
  let pixelFormat: OSType
  /// ffmpeg's name.
  let name: String
  /// The filters that convert to the format.
  let filters: [String]

  /// Returns nil for a format in which frames cannot be read.
  init?(_ pixelFormat: OSType) {
    self.pixelFormat = pixelFormat
    switch pixelFormat {
    case kCVPixelFormatType_32BGRA: (name, filters) = ("bgra", [])
    case kCVPixelFormatType_32ARGB: (name, filters) = ("argb", [])
    case kCVPixelFormatType_32RGBA: (name, filters) = ("rgba", [])
    case kCVPixelFormatType_24RGB: (name, filters) = ("rgb24", [])
    case kCVPixelFormatType_OneComponent8: (name, filters) = ("gray", [])
    case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange:
      (name, filters) = ("nv12", ["scale=out_range=tv"])
    case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange:
      (name, filters) = ("nv12", ["scale=out_range=pc"])
    default: return nil
    }
  }

  /// Whether the frames have luma and chroma.
  var isPlanar: Bool { name == "nv12" }
}

/// Reads frames of a film into pixel buffers, with ffmpeg.
///
/// `@unchecked Sendable`: one thread calls ``next()``.
final class AssetFrames: @unchecked Sendable {
  private let child: ChildProcess
  private let times = FrameTimes()
  private let start: Double
  private let path: String
  private let pool: CVPixelBufferPool
  private let matrix: String?
  private var frame: [UInt8] = []
  private var last: Int64?

  /// - Parameters:
  ///   - size: The size of the buffers.
  ///   - isUpright: Whether the frames are rotated as they are shown.
  ///   - begin: The first time that matters, in seconds. The first frames may be earlier.
  ///   - filters: ffmpeg's filters before the conversion of the size and the format.
  init(
    _ film: FilmDescription, _ format: FrameFormat, size: PictureSize, isUpright: Bool,
    begin: Double = 0, filters: [String] = []
  ) throws {
    start = film.start
    path = film.path
    matrix =
      switch film.matrix {
      case "bt709": kCVImageBufferYCbCrMatrix_ITU_R_709_2
      case "bt2020nc": kCVImageBufferYCbCrMatrix_ITU_R_2020
      case "smpte240m": kCVImageBufferYCbCrMatrix_SMPTE_240M_1995
      default: kCVImageBufferYCbCrMatrix_ITU_R_601_4
      }
    var pool: CVPixelBufferPool?
    let status: CVReturn = CVPixelBufferPoolCreate(
      kCFAllocatorDefault, nil,
      [
        kCVPixelBufferPixelFormatTypeKey: Int(format.pixelFormat),
        kCVPixelBufferWidthKey: size.width, kCVPixelBufferHeightKey: size.height,
      ] as CFDictionary, &pool)
    guard status == kCVReturnSuccess, let pool else {
      throw AVError(
        .invalidSourceMedia, "Frames of \(size) cannot be read (CoreVideo status \(status)).")
    }
    self.pool = pool
    var arguments: [String] = [
      "-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info", "-copyts",
    ]
    if !isUpright { arguments.append("-noautorotate") }
    // Seeking to a keyframe is only exact to a few seconds.
    if begin > 20 { arguments += ["-noaccurate_seek", "-ss", "\(begin - 10)"] }
    let conversion: [String] =
      filters + ["scale=\(size.width):\(size.height):flags=lanczos+accurate_rnd"] + format.filters
      + ["format=\(format.name)", "showinfo=checksum=0"]
    arguments += ["-i", FilmDescription.argument(film.path), "-map", "0:\(film.video.index)"]
    arguments += ["-an", "-sn", "-dn", "-vf", conversion.joined(separator: ",")]
    arguments += ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", format.name, "pipe:1"]
    let times: FrameTimes = times
    child = try ChildProcess(FilmPrograms().ffmpeg, arguments, hasOutput: true) { times.read($0) }
  }

  /// Returns the next frame and its time in microseconds since the beginning of the film. Nil after the last one.
  func next() throws -> (buffer: CVPixelBuffer, time: Int64)? {
    var made: CVPixelBuffer?
    guard CVPixelBufferPoolCreatePixelBuffer(kCFAllocatorDefault, pool, &made) == kCVReturnSuccess,
      let buffer = made
    else { throw AVError(.unknown, "There is no memory for a frame of '\(path)'.") }
    guard read(into: buffer) else {
      let failure: String? = child.wait()
      guard !child.wasEndedBySignal else {
        throw AVError(.decodeFailed, "A signal ended ffmpeg while it read '\(path)'.")
      }
      if last == nil {
        throw AVError(
          .decodeFailed,
          "No frame of '\(path)' could be read: \(failure ?? times.firstError ?? "there is none").")
      }
      return nil
    }
    // In some damaged films, a frame has no time, or an earlier time than the previous frame.
    var time: Int64 = times.take().map { $0 - Int64((start * 1e6).rounded()) } ?? (last ?? -1) + 1
    if let last, time <= last { time = last + 1 }
    last = time
    if CVPixelBufferIsPlanar(buffer), let matrix {
      CVBufferSetAttachment(
        buffer, kCVImageBufferYCbCrMatrixKey, matrix as AnyObject, .shouldPropagate)
    }
    return (buffer, time)
  }

  func stop() { child.stop() }

  /// Fills the buffer's planes. Returns false at the end of the film.
  private func read(into buffer: CVPixelBuffer) -> Bool {
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    let format: OSType = CVPixelBufferGetPixelFormatType(buffer)
    for plane in 0..<max(1, CVPixelBufferGetPlaneCount(buffer)) {
      guard let base = CVPixelBufferGetBaseAddressOfPlane(buffer, plane) else { return false }
      let height: Int = CVPixelBufferGetHeightOfPlane(buffer, plane)
      let bytesPerRow: Int = CVPixelBufferGetBytesPerRowOfPlane(buffer, plane)
      let samples: Int = CVPixelBufferGetWidthOfPlane(buffer, plane)
      let wanted: Int = samples * Self.bytesPerSample(format, plane: plane)
      // Safe: the plane has `height` rows of `bytesPerRow` bytes.
      let memory = UnsafeMutableRawBufferPointer(start: base, count: bytesPerRow * height)
      if wanted == bytesPerRow {
        guard child.read(into: memory) == memory.count else { return false }
        continue
      }
      // ffmpeg writes rows without padding.
      if frame.count < wanted * height { frame = [UInt8](repeating: 0, count: wanted * height) }
      let isWhole: Bool = frame.withUnsafeMutableBytes { bytes in
        let part = UnsafeMutableRawBufferPointer(rebasing: bytes[0..<wanted * height])
        guard child.read(into: part) == part.count else { return false }
        for row in 0..<height {
          memcpy(base + row * bytesPerRow, part.baseAddress! + row * wanted, wanted)
        }
        return true
      }
      guard isWhole else { return false }
    }
    return true
  }

  private static func bytesPerSample(_ format: OSType, plane: Int) -> Int {
    switch format {
    case kCVPixelFormatType_24RGB: 3
    case kCVPixelFormatType_OneComponent8: 1
    case kCVPixelFormatType_32BGRA, kCVPixelFormatType_32ARGB, kCVPixelFormatType_32RGBA: 4
    default: plane == 0 ? 1 : 2
    }
  }
}
