import CFilm
import FFmpeg
import Imaging

/// Converts frames between red, green and blue bytes and planes of luma and chroma (yuv420p), as most films store them.
/// ffmpeg's own conversion takes several times as long, and a pipe takes half as many bytes.
struct FramePlanes: Sendable {
  /// The size of the frames. Both sides are even.
  let size: PictureSize
  /// Whether the matrix is that of BT.709, not that of BT.601.
  let isBT709: Bool
  /// Whether luma has the range 0…255, not 16…235.
  let isFullRange: Bool

  /// The number of bytes of a frame.
  var byteCount: Int { size.width * size.height * 3 / 2 }

  private var matrix: cf_color_matrix {
    cf_color_matrix(is_bt709: isBT709, is_full_range: isFullRange)
  }

  /// Returns a picture of the planes of a frame.
  func picture(_ planes: UnsafeBufferPointer<UInt8>) throws -> Picture {
    var isDone = true
    var matrix: cf_color_matrix = self.matrix
    let result = try Picture(width: size.width, height: size.height) { pixels in
      guard let from = planes.baseAddress, let to = pixels.baseAddress else { return }
      isDone = cf_from_planes(from, Int64(size.width), Int64(size.height), &matrix, to)
    }
    guard isDone else { throw memoryError }
    return result
  }

  /// Writes the planes of a picture.
  func write(_ picture: Picture, to planes: UnsafeMutableBufferPointer<UInt8>) throws {
    var matrix: cf_color_matrix = self.matrix
    let isDone: Bool = picture.withPixels { pixels in
      guard let from = pixels.baseAddress, let to = planes.baseAddress else { return true }
      return cf_to_planes(from, Int64(size.width), Int64(size.height), &matrix, to)
    }
    guard isDone else { throw memoryError }
  }

  private var memoryError: FilmError {
    FilmError(
      .memory,
      "There is not enough memory to convert frames of \(size.width) × \(size.height).")
  }
}

extension FramePlanes {
  /// The planes that a decoder of a film makes. Nil if the film stores frames in another way.
  init?(of film: FilmDescription, size: PictureSize) {
    guard !film.isHDR, size.width % 2 == 0, size.height % 2 == 0,
      ["yuv420p", "yuvj420p"].contains(film.pixelFormat),
      [nil, "bt709", "smpte170m", "bt470bg"].contains(film.matrix)
    else { return nil }
    self.init(
      size: size, isBT709: film.matrix == "bt709",
      isFullRange: film.pixelFormat == "yuvj420p" || film.isFullRange)
  }
}
