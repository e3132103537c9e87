import CoreML
import Foundation

/// A closure that a request calls when it ends. The arguments are the request, and the error if the request failed.
public typealias VNRequestCompletionHandler = (VNRequest, (any Error)?) -> Void

/// Declares the `results` of ``VNRequest``. Apple's framework does not have this protocol: there, a subclass redeclares
/// `results` with its own observation type. A Swift subclass cannot redeclare a property of its superclass, but it can
/// redeclare a property of a protocol extension.
public protocol VNRequestResults: AnyObject {}

extension VNRequestResults where Self: VNRequest {
  /// The results of the last run; nil before the first run and after an error.
  public var results: [VNObservation]? { found }
}

/// An analysis of an image. Use a request on one thread at a time.
open class VNRequest: NSObject, VNRequestResults {
  /// The results of the last run, of any observation type.
  final var found: [VNObservation]?

  /// The closure that the request calls when it ends.
  public let completionHandler: VNRequestCompletionHandler?

  /// Has no effect.
  public var preferBackgroundProcessing: Bool = false

  /// Has no effect. Set the compute units of the model's configuration instead.
  public var usesCPUOnly: Bool = false

  /// The revision of the request's algorithm.
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

  /// The supported revisions of the request's algorithm.
  open class var supportedRevisions: IndexSet { IndexSet(integer: 1) }

  /// The revision of new requests.
  open class var defaultRevision: Int { 1 }

  /// The newest revision of the request's algorithm.
  open class var currentRevision: Int { 1 }

  /// Cancels the request. If the request is running and its model has not started to predict, the current run fails.
  /// Otherwise, the next run fails.
  open func cancel() { cancelled.set() }

  /// Returns nil: the framework chooses the device for every stage.
  public func computeDevice(for computeStage: VNComputeStage) -> MLComputeDevice? { nil }

  /// Has no effect, because models run on the processor.
  public func setComputeDevice(
    _ computeDevice: MLComputeDevice?, for computeStage: VNComputeStage
  ) {}

  /// The devices on which each stage can run.
  public var supportedComputeStageDevices: [VNComputeStage: [MLComputeDevice]] {
    get throws { [.main: MLComputeDevice.allComputeDevices] }
  }

  /// Analyses an image. Subclasses override this method.
  func observations(in image: RequestImage) throws -> [VNObservation] {
    throw VNError(
      .unsupportedRequest, "Requests of class \(type(of: self)) are not supported.")
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
