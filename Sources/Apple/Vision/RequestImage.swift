import CoreGraphics
import CoreImage
import CoreVideo
import Foundation
import ImageIO
import Imaging

/// A picture that requests look at, read once for all of them.
///
/// Not for two threads at once, as a handler is not.
final class RequestImage {
  enum Source {
    case cgImage(CGImage)
    case ciImage(CIImage)
    case pixelBuffer(CVPixelBuffer)
    case file(URL)
    case data(Data)
  }

  private let source: Source
  private var known: Picture?
  /// How the pixels lie. `.up` for a file whose own orientation was applied when it was read.
  let orientation: Orientation
  private let handling: OrientationHandling

  init(_ source: Source, orientation: CGImagePropertyOrientation?) {
    self.source = source
    self.orientation = orientation?.pictureOrientation ?? .up
    handling = orientation == nil ? .applied : .ignored
  }

  /// The pixels as they lie.
  func picture() throws -> Picture {
    if let known { return known }
    let picture: Picture
    do {
      switch source {
      case .cgImage(let image): picture = try image.picture
      case .ciImage(let image): picture = try image.picture
      case .pixelBuffer(let buffer): picture = try Picture(buffer)
      case .file(let url): picture = try Picture(contentsOf: url, orientation: handling)
      case .data(let data): picture = try Picture(data: data, orientation: handling)
      }
    } catch let error as ImagingError {
      throw VNError(.invalidImage, error.message)
    }
    known = picture
    return picture
  }

  /// The caller's pixel buffer when it can go to a model as it is.
  func pixelBuffer(width: Int, height: Int) -> CVPixelBuffer? {
    guard case .pixelBuffer(let buffer) = source, orientation == .up,
      CVPixelBufferGetWidth(buffer) == width, CVPixelBufferGetHeight(buffer) == height
    else { return nil }
    return buffer
  }
}
