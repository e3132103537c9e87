import CoreGraphics
import CoreImage
import CoreML
import CoreVideo
import Foundation
import ImageIO
import Platform

/// A stage of a request's computation.
public enum ComputeStage: Sendable, Hashable {
  /// The main stage.
  case main
  /// The stage that processes the results of the main stage.
  case postProcessing
}

/// A request to analyse an image. Requests of this newer interface are values; ``VNRequest`` is a class.
public protocol VisionRequest: CustomStringConvertible, Hashable, Sendable {
  /// The type of the result.
  associatedtype Result: Sendable

  /// The devices on which each stage can run.
  var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] { get }

  /// Analyses an image. Each type of request implements this method. Callers use ``ImageRequestHandler`` or
  /// ``ImageProcessingRequest/perform(on:orientation:)-swift.method``.
  func result(in image: VisionImage) throws -> Result
}

extension VisionRequest {
  /// Lists the main stage only, with the processor as its only device.
  public var supportedComputeStageDevices: [ComputeStage: [MLComputeDevice]] {
    [.main: MLComputeDevice.allComputeDevices]
  }

  /// The name of the request's type.
  public var description: String { "\(type(of: self))" }
}

/// A request that analyses one image.
public protocol ImageProcessingRequest: VisionRequest {
  /// The part of the image to analyse.
  var regionOfInterest: NormalizedRect { get set }
}

/// The image of a request. Apple's framework does not have this type.
public struct VisionImage {
  let image: RequestImage
}

extension ImageProcessingRequest {
  /// Analyses an image file.
  public func perform(
    on url: URL, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result { try await analyzed(.file(url), orientation) }

  /// Analyses the bytes of an image file.
  public func perform(
    on data: Data, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result { try await analyzed(.data(data), orientation) }

  /// Analyses an image.
  public func perform(
    on image: CGImage, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result { try await analyzed(.cgImage(image), orientation) }

  /// Analyses an image.
  public func perform(
    on image: CIImage, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result { try await analyzed(.ciImage(image), orientation) }

  /// Analyses a pixel buffer.
  public func perform(
    on pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation? = nil
  ) async throws -> Result { try await analyzed(.pixelBuffer(pixelBuffer), orientation) }

  private func analyzed(
    _ source: RequestImage.Source, _ orientation: CGImagePropertyOrientation?
  ) async throws -> Result {
    let image = SendableBox(RequestImage(source, orientation: orientation))
    return try await performed { try result(in: VisionImage(image: image.value)) }
  }
}

/// Runs an analysis on a thread of Dispatch. The analysis blocks its thread, and the threads of Swift's concurrency must
/// not block.
func performed<Result: Sendable>(
  _ analysis: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async {
      continuation.resume(with: Swift.Result { try analysis() })
    }
  }
}
