import CoreML
import Foundation

/// What is called when a request is done: with the request, and the error if it failed.
public typealias VNRequestCompletionHandler = (VNRequest, (any Error)?) -> Void

/// Gives ``VNRequest`` its results. Not in Apple's framework, where a subclass declares `results` anew with the one kind
/// of observation that it finds. Swift lets no class do that over a class, but over the extension of a protocol.
public protocol VNRequestResults: AnyObject {}

extension VNRequestResults where Self: VNRequest {
  /// What was found last; nil before the first time and after an error.
  public var results: [VNObservation]? { found }
}

/// Something to find in a picture. An object serves one thread at a time.
open class VNRequest: NSObject, VNRequestResults {
  /// What was found last, of whatever kind.
  final var found: [VNObservation]?

  /// What is called when the request is done.
  public let completionHandler: VNRequestCompletionHandler?

  /// Has no effect.
  public var preferBackgroundProcessing: Bool = false

  /// Has no effect: set the compute units of the model's configuration.
  public var usesCPUOnly: Bool = false

  /// The version of the request's algorithm.
  public var revision: Int = 1

  private let cancelled = CancellationFlag()

  /// Makes a request.
  public init(completionHandler: VNRequestCompletionHandler? = nil) {
    self.completionHandler = completionHandler
  }

  /// Makes a request without a completion handler.
  override public convenience init() {
    self.init(completionHandler: nil)
  }

  /// The versions of the request's algorithm that there are.
  open class var supportedRevisions: IndexSet { IndexSet(integer: 1) }

  /// The version that is used unless another is asked for.
  open class var defaultRevision: Int { 1 }

  /// The newest version.
  open class var currentRevision: Int { 1 }

  /// Makes the request fail the next time that it starts, or before its model predicts if it runs.
  open func cancel() { cancelled.set() }

  /// The device that a stage of the request computes on; nil lets the framework choose.
  public func computeDevice(for computeStage: VNComputeStage) -> MLComputeDevice? { nil }

  /// Has no effect: models compute on the processor.
  public func setComputeDevice(
    _ computeDevice: MLComputeDevice?, for computeStage: VNComputeStage
  ) {}

  /// The devices that each stage of the request can compute on.
  public var supportedComputeStageDevices: [VNComputeStage: [MLComputeDevice]] {
    get throws { [.main: MLComputeDevice.allComputeDevices] }
  }

  /// Finds. Requests override this.
  func observations(in image: RequestImage) throws -> [VNObservation] {
    throw VNError(
      .unsupportedRequest, "Requests of class \(type(of: self)) cannot be performed here.")
  }

  /// Runs the request, sets ``results`` and calls the completion handler.
  func run(on image: RequestImage) throws {
    do {
      try checkCancellation()
      found = try observations(in: image)
    } catch {
      found = nil
      completionHandler?(self, error)
      throw error
    }
    completionHandler?(self, nil)
  }

  func checkCancellation() throws {
    if cancelled.take() {
      throw VNError(.requestCancelled, "The request was cancelled.")
    }
  }
}
