import CoreGraphics
import CoreImage
import CoreML
import CoreVideo
import Foundation
import ImageIO

/// A part of the work of a request.
public enum ComputeStage: Sendable, Hashable {
  /// The request's main work.
  case main
  /// What is made of the main work's results.
  case postProcessing
}

/// Something to find in a picture, as a value.
public protocol VisionRequest: CustomStringConvertible, Hashable, Sendable {
  /// What is found.
  associatedtype Result: Sendable

  /// The devices that each stage can compute on.
  var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] { get }
}

extension VisionRequest {
  /// The processor.
  public var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] {
    [.main: MLComputeDevice.allComputeDevices]
  }

  /// The request's name.
  public var description: String { "\(type(of: self))" }
}

/// A request that looks at one picture.
public protocol ImageProcessingRequest: VisionRequest {
  /// The part to look at.
  var regionOfInterest: NormalizedRect { get set }

  /// What is found in a picture; requests are performed by ``perform(on:orientation:)-swift.method``.
  func result(in image: VisionImage) throws -> Result
}

/// A picture that a request looks at, read once. Not in Apple's framework.
public struct VisionImage {
  let image: RequestImage
}

extension ImageProcessingRequest {
  /// Looks at a picture file.
  public func perform(
    on url: URL, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result { try await looked(.file(url), orientation) }

  /// Looks at the bytes of a picture file.
  public func perform(
    on data: Data, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result { try await looked(.data(data), orientation) }

  /// Looks at a picture.
  public func perform(
    on image: CGImage, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result { try await looked(.cgImage(image), orientation) }

  /// Looks at a picture.
  public func perform(
    on image: CIImage, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result { try await looked(.ciImage(image), orientation) }

  /// Looks at a pixel buffer.
  public func perform(
    on pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result { try await looked(.pixelBuffer(pixelBuffer), orientation) }

  /// Works on a thread of Dispatch's, so that no thread of Swift's waits for it.
  private func looked(
    _ source: RequestImage.Source, _ orientation: CGImagePropertyOrientation?
  ) async throws -> Result {
    let image = HandedOver(RequestImage(source, orientation: orientation))
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Swift.Result { try result(in: VisionImage(image: image.value)) })
      }
    }
  }
}

/// A value that one thread hands to another and does not touch again.
private struct HandedOver<Value>: @unchecked Sendable {
  // `@unchecked Sendable`: the one who makes it gives it away.
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// A rectangle whose coordinates go from 0 to 1, with the origin at the lower left.
public struct NormalizedRect: Hashable, Sendable, Codable {
  /// The left edge.
  public let x: CGFloat
  /// The lower edge.
  public let y: CGFloat
  /// The width.
  public let width: CGFloat
  /// The height.
  public let height: CGFloat

  /// A rectangle.
  public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// A rectangle.
  public init(normalizedRect: CGRect) {
    self.init(
      x: normalizedRect.minX, y: normalizedRect.minY, width: normalizedRect.width,
      height: normalizedRect.height)
  }

  /// The whole picture.
  public static var fullImage: NormalizedRect { NormalizedRect(x: 0, y: 0, width: 1, height: 1) }

  /// The same numbers.
  public var cgRect: CGRect { CGRect(x: x, y: y, width: width, height: height) }

  /// The lower left corner.
  public var origin: CGPoint { CGPoint(x: x, y: y) }
}
