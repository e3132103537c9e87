import CoreGraphics
import CoreVideo
import Foundation
import Imaging

/// An image output of a model, or a mask.
public struct PixelBufferObservation: VisionObservation {
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence, always 1.
  public let confidence: Float
  private let width: Int
  private let height: Int
  private let bytesPerRow: Int
  /// The pixel format, such as `kCVPixelFormatType_OneComponent8`.
  public let pixelFormat: OSType
  private let bytes: Data

  /// Copies an observation of the older interface. Returns nil if its buffer has no memory.
  public init?(_ observation: VNPixelBufferObservation) {
    let buffer: CVPixelBuffer = observation.pixelBuffer
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    guard let memory = CVPixelBufferGetBaseAddress(buffer) else { return nil }
    uuid = observation.uuid
    confidence = observation.confidence
    width = CVPixelBufferGetWidth(buffer)
    height = CVPixelBufferGetHeight(buffer)
    bytesPerRow = CVPixelBufferGetBytesPerRow(buffer)
    pixelFormat = CVPixelBufferGetPixelFormatType(buffer)
    // Safe: the buffer holds `height` rows of `bytesPerRow` bytes.
    bytes = Data(bytes: memory, count: bytesPerRow * height)
  }

  /// The size in pixels.
  public var size: CGSize { CGSize(width: width, height: height) }

  /// The image.
  ///
  /// - Throws: ``VNError`` for a pixel format that images cannot have.
  public var cgImage: CGImage {
    get throws {
      guard let layout = PixelLayout(pixelFormat: pixelFormat) else {
        throw VNError(.invalidFormat, "Images cannot have the pixel format \(pixelFormat).")
      }
      do {
        return try bytes.withUnsafeBytes { rows in
          guard let first = rows.baseAddress else {
            throw VNError(.invalidImage, "The image is empty.")
          }
          // Safe: there are `height` rows of `bytesPerRow` bytes.
          return try CGImage(
            Picture(
              width: width, height: height, layout: layout, rows: first, bytesPerRow: bytesPerRow))
        }
      } catch let error as ImagingError {
        throw VNError(.invalidImage, error.message)
      }
    }
  }

  /// Returns the first component of the pixel at a point. Values of 8-bit formats are divided by 255. For a point
  /// outside the image, returns the component of the nearest pixel.
  public func pixel(at point: NormalizedPoint) -> Float {
    func index(_ fraction: CGFloat, _ count: Int) -> Int {
      Int(min(CGFloat(count - 1), max(0, (fraction.isNaN ? 0 : fraction) * CGFloat(count))))
    }
    let offset: Int = index(1 - point.y, height) * bytesPerRow
    let column: Int = index(point.x, width)
    return bytes.withUnsafeBytes { rows in
      switch pixelFormat {
      case kCVPixelFormatType_OneComponent32Float:
        rows.loadUnaligned(fromByteOffset: offset + column * 4, as: Float.self)
      case kCVPixelFormatType_OneComponent16Half:
        Float(rows.loadUnaligned(fromByteOffset: offset + column * 2, as: Float16.self))
      default:
        Float(rows[offset + column * (PixelLayout(pixelFormat: pixelFormat)?.bytesPerPixel ?? 1)])
          / 255
      }
    }
  }

  /// Calls a closure with the address of the pixels, row by row from the top. Rows may end with padding.
  public func withUnsafePointer<R>(_ body: (UnsafeRawPointer) -> R) -> R {
    // Safe: the address is valid inside of the closure. An array of at least one byte always has an address.
    (bytes.isEmpty ? [0] : [UInt8](bytes)).withUnsafeBytes { rows in
      withExtendedLifetime(rows) { body(UnsafeRawPointer(rows.baseAddress.unsafelyUnwrapped)) }
    }
  }

  /// The size as text.
  public var description: String { "image of \(width) × \(height)" }
}
