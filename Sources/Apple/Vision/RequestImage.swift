import CoreGraphics
import CoreImage
import CoreVideo
import Foundation
import ImageIO
import Imaging

/// The image of one or more requests. The first request reads the image, and the others reuse the result.
///
/// Only one thread at a time may use an object of this class, as is the case for request handlers.
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
  private var knownUpright: Picture?
  /// The orientation of the pixels that ``picture()`` returns. `.up` if the caller gave no orientation.
  let orientation: Orientation
  /// Whether reading a file applies the file's own orientation or ignores it.
  private let handling: OrientationHandling

  init(_ source: Source, orientation: CGImagePropertyOrientation?) {
    self.source = source
    self.orientation = orientation?.pictureOrientation ?? .up
    handling = orientation == nil ? .applied : .ignored
  }

  /// Returns the image, before ``orientation`` is applied.
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

  /// Returns the upright part of the image that a request analyses.
  func upright(_ request: VNImageBasedRequest) throws -> Picture {
    do {
      let whole: Picture = try knownUpright ?? picture().oriented(orientation)
      knownUpright = whole
      guard let region = try request.pixelRegion(width: whole.width, height: whole.height) else {
        return whole
      }
      return try whole.cropped(
        x: region.x, y: region.y, width: region.width, height: region.height)
    } catch let error as ImagingError {
      throw VNError(.invalidImage, error.message)
    }
  }

  /// Returns the caller's pixel buffer if it is upright and has the given size, so that a model can read it directly.
  /// Returns nil otherwise.
  func pixelBuffer(width: Int, height: Int) -> CVPixelBuffer? {
    guard case .pixelBuffer(let buffer) = source, orientation == .up,
      CVPixelBufferGetWidth(buffer) == width, CVPixelBufferGetHeight(buffer) == height
    else { return nil }
    return buffer
  }
}
