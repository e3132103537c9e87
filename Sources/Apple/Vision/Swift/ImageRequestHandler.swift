import CoreGraphics
import CoreImage
import CoreVideo
import Foundation
import ImageIO
import Platform

/// Performs requests of the newer interface on one image. The image is read once for all requests.
public final class ImageRequestHandler: Sendable {
  /// The image. Requests use it one after another.
  private let image: Locked<SendableBox<RequestImage>>

  private init(_ source: RequestImage.Source, _ orientation: CGImagePropertyOrientation?) {
    image = Locked(SendableBox(RequestImage(source, orientation: orientation)))
  }

  /// Makes a handler for an image file.
  public convenience init(_ imageURL: URL, orientation: CGImagePropertyOrientation? = nil) {
    self.init(.file(imageURL), orientation)
  }

  /// Makes a handler for the bytes of an image file.
  public convenience init(_ data: Data, orientation: CGImagePropertyOrientation? = nil) {
    self.init(.data(data), orientation)
  }

  /// Makes a handler for an image.
  public convenience init(_ image: CGImage, orientation: CGImagePropertyOrientation? = nil) {
    self.init(.cgImage(image), orientation)
  }

  /// Makes a handler for an image.
  public convenience init(_ image: CIImage, orientation: CGImagePropertyOrientation? = nil) {
    self.init(.ciImage(image), orientation)
  }

  /// Makes a handler for a pixel buffer.
  public convenience init(
    _ pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation? = nil
  ) {
    self.init(.pixelBuffer(pixelBuffer), orientation)
  }

  /// Performs a request.
  public func perform<T: VisionRequest>(_ request: T) async throws -> T.Result {
    let image = image
    return try await performed {
      try image.withLock { try request.result(in: VisionImage(image: $0.value)) }
    }
  }

  /// Performs requests one after another. Throws the first error.
  public func perform<each T: VisionRequest>(
    _ request: repeat each T
  ) async throws -> (repeat (each T).Result) {
    (repeat try await perform(each request))
  }

  /// Performs requests one after another, and delivers each result as soon as the request has finished. A request that
  /// fails delivers ``VisionResult/error(_:_:)``.
  public func performAll(
    _ requests: some Collection<any VisionRequest>
  ) -> some AsyncSequence<VisionResult, Never> {
    let requests = Array(requests)
    return AsyncStream { continuation in
      let task = Task {
        for request in requests {
          if Task.isCancelled { break }
          continuation.yield(await result(of: request))
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private func result(of request: any VisionRequest) async -> VisionResult {
    do {
      switch request {
      case let request as ClassifyImageRequest:
        return .classifyImage(request, try await perform(request))
      case let request as CoreMLRequest: return .coreML(request, try await perform(request))
      case let request as DetectBarcodesRequest:
        return .detectBarcodes(request, try await perform(request))
      case let request as DetectContoursRequest:
        return .detectContours(request, try await perform(request))
      case let request as DetectFaceLandmarksRequest:
        return .detectFaceLandmarks(request, try await perform(request))
      case let request as DetectFaceRectanglesRequest:
        return .detectFaceRectangles(request, try await perform(request))
      case let request as DetectHumanBodyPoseRequest:
        return .detectHumanBodyPose(request, try await perform(request))
      case let request as DetectHumanHandPoseRequest:
        return .detectHumanHandPose(request, try await perform(request))
      case let request as DetectHumanRectanglesRequest:
        return .detectHumanRectangles(request, try await perform(request))
      case let request as DetectRectanglesRequest:
        return .detectRectangles(request, try await perform(request))
      case let request as DetectTextRectanglesRequest:
        return .detectTextRectangles(request, try await perform(request))
      case let request as GenerateAttentionBasedSaliencyImageRequest:
        return .generateAttentionBasedSaliencyImage(request, try await perform(request))
      case let request as GenerateObjectnessBasedSaliencyImageRequest:
        return .generateObjectnessBasedSaliencyImage(request, try await perform(request))
      case let request as GenerateImageFeaturePrintRequest:
        return .generateImageFeaturePrint(request, try await perform(request))
      case let request as GeneratePersonSegmentationRequest:
        return .generatePersonSegmentation(request, try await perform(request))
      case let request as RecognizeTextRequest:
        return .recognizeText(request, try await perform(request))
      default:
        throw VNError(
          .unsupportedRequest,
          "performAll does not know requests of type \(type(of: request)); call perform for them.")
      }
    } catch {
      return .error(request, error)
    }
  }
}

/// A request with its result.
public enum VisionResult: Sendable {
  /// Classes of an image.
  case classifyImage(ClassifyImageRequest, [ClassificationObservation])
  /// The outputs of a model.
  case coreML(CoreMLRequest, [any VisionObservation])
  /// Barcodes.
  case detectBarcodes(DetectBarcodesRequest, [BarcodeObservation])
  /// Contours.
  case detectContours(DetectContoursRequest, ContoursObservation)
  /// Faces with landmarks.
  case detectFaceLandmarks(DetectFaceLandmarksRequest, [FaceObservation])
  /// Faces.
  case detectFaceRectangles(DetectFaceRectanglesRequest, [FaceObservation])
  /// Bodies.
  case detectHumanBodyPose(DetectHumanBodyPoseRequest, [HumanBodyPoseObservation])
  /// Hands.
  case detectHumanHandPose(DetectHumanHandPoseRequest, [HumanHandPoseObservation])
  /// Persons' boxes.
  case detectHumanRectangles(DetectHumanRectanglesRequest, [HumanObservation])
  /// Quadrilaterals.
  case detectRectangles(DetectRectanglesRequest, [RectangleObservation])
  /// Lines of text that were not read.
  case detectTextRectangles(DetectTextRectanglesRequest, [TextObservation])
  /// A heat map of what attracts attention.
  case generateAttentionBasedSaliencyImage(
    GenerateAttentionBasedSaliencyImageRequest, SaliencyImageObservation)
  /// A heat map of what is probably an object.
  case generateObjectnessBasedSaliencyImage(
    GenerateObjectnessBasedSaliencyImageRequest, SaliencyImageObservation)
  /// A feature print.
  case generateImageFeaturePrint(GenerateImageFeaturePrintRequest, FeaturePrintObservation)
  /// A mask of persons.
  case generatePersonSegmentation(GeneratePersonSegmentationRequest, PixelBufferObservation)
  /// Lines of text that were read.
  case recognizeText(RecognizeTextRequest, [RecognizedTextObservation])
  /// The error of a request.
  case error(any VisionRequest, any Error)
}
