import Foundation
import Imaging

/// Resampling that NumPy can reproduce.
enum Pixels {
  /// Writes the central square of a photo at another size, resampled by nearest neighbour.
  static func nearestSquare(of photo: URL, side: Int, to file: URL) throws {
    let picture = try Picture(contentsOf: photo)
    let square: Int = min(picture.width, picture.height)
    let (left, top) = ((picture.width - square) / 2, (picture.height - square) / 2)
    let source: [UInt8] = picture.pixels
    var pixels: [UInt8] = []
    for row in 0..<side {
      for column in 0..<side {
        let y: Int = top + row * square / side
        let x: Int = left + column * square / side
        let start: Int = (y * picture.width + x) * 3
        pixels += source[start..<start + 3]
      }
    }
    try Picture(width: side, height: side, pixels: pixels).write(toFile: file.path)
  }
}
